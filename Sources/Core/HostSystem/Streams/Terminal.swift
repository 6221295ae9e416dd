import CLibrary

/// The terminal that controls this process, even if its standard streams go elsewhere.
package enum Terminal {
    /// Asks for a line at the terminal, and does not show it while it is typed.
    ///
    /// Returns it without its end; `nil` if the person gave up with ^C or ^D. Bytes beyond `maximumSize` are dropped.
    /// Throws without a terminal.
    package static func secretLine(prompt: String, maximumSize: Int) throws(FileFailure) -> WipedBytes? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(reason: "a terminal to ask at is missing") }
        defer { _ = close(descriptor) }
        var shown = termios()
        guard unsafe tcgetattr(descriptor, &shown) == 0 else { throw FileFailure(errno: errno) }
        var hidden = shown
        // Raw mode delivers ^C as a byte: a signal would end the process with the terminal still hiding what is typed.
        unsafe cfmakeraw(&hidden)
        // TCSAFLUSH discards what was typed before the question.
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else { throw FileFailure(errno: errno) }
        defer {
            unsafe _ = tcsetattr(descriptor, TCSAFLUSH, &shown)
            write("\n", to: descriptor)
        }
        write(prompt, to: descriptor)
        return line(from: descriptor, maximumSize: maximumSize)
    }

    /// The size of the terminal that standard output is; `nil` if it is none, or does not know its size.
    package static var outputSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    private static func line(from descriptor: Int32, maximumSize: Int) -> WipedBytes? {
        var line = WipedBuffer(capacity: maximumSize)
        var byte: UInt8 = 0
        defer { byte = 0 }
        reading: while true {
            let received = unsafe read(descriptor, &byte, 1)
            if received < 0, errno == EINTR { continue }
            // The input ended without a line end: the terminal is gone.
            guard received == 1 else {
                if line.count == 0 { return nil }
                break
            }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): break reading
            case 0x03: return nil
            case 0x04:
                if line.count == 0 { return nil }
                break reading
            case 0x15: line.removeAll()
            case 0x08, 0x7F: line.removeLastCharacter()
            default: line.append(byte)
            }
        }
        return line.withSpan { WipedBytes($0) }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            unsafe _ = CLibrary.write(descriptor, bytes.baseAddress, bytes.count)
        }
    }
}
