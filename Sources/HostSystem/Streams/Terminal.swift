import CLibrary

/// The terminal that controls this process, wherever its standard streams go.
package enum Terminal {
    /// Asks for a line that is not shown while it is typed.
    ///
    /// - Parameters:
    ///   - prompt: Written to the terminal.
    ///   - maximumSize: Bytes beyond it are dropped.
    /// - Returns: `nil` where the person gave up with ^C or ^D.
    /// - Throws: `FileFailure` where there is no terminal.
    package static func secretLine(prompt: String, maximumSize: Int) throws(FileFailure) -> WipedBytes? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(reason: "there is no terminal to ask at") }
        defer { _ = close(descriptor) }
        var shown = termios()
        guard unsafe tcgetattr(descriptor, &shown) == 0 else { throw FileFailure(errno: errno) }
        var hidden = shown
        // ^C arrives as an byte and not as a signal: a signal would end the process with the terminal still silent.
        unsafe cfmakeraw(&hidden)
        // After TCSAFLUSH nothing that was typed before the question counts as the answer.
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else { throw FileFailure(errno: errno) }
        defer {
            unsafe _ = tcsetattr(descriptor, TCSAFLUSH, &shown)
            write("\n", to: descriptor)
        }
        write(prompt, to: descriptor)
        return line(from: descriptor, maximumSize: maximumSize)
    }

    private static func line(from descriptor: Int32, maximumSize: Int) -> WipedBytes? {
        var line = WipedBuffer(capacity: maximumSize)
        var byte: UInt8 = 0
        defer { byte = 0 }
        reading: while true {
            let received = unsafe read(descriptor, &byte, 1)
            if received < 0, errno == EINTR { continue }
            // The end without a line end: ^D, or the terminal is gone.
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
