#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal that controls this process, wherever its standard streams go.
package enum Terminal {
    /// Asks for a line that is not shown while it is typed.
    ///
    /// - Parameters:
    ///   - prompt: Written to the terminal.
    ///   - maximumSize: Octets beyond it are dropped.
    /// - Returns: `nil` where the person gave up with ^C or ^D.
    /// - Throws: `FileFailure` where there is no terminal.
    package static func secretLine(prompt: String, maximumSize: Int) throws(FileFailure) -> WipedBytes? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(reason: "there is no terminal to ask at") }
        defer { _ = close(descriptor) }
        var shown = termios()
        guard unsafe tcgetattr(descriptor, &shown) == 0 else { throw FileFailure(errno: errno) }
        var hidden = shown
        // ^C arrives as an octet and not as a signal: a signal would end the process with the terminal still silent.
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
        unsafe WipedBytes(capacity: maximumSize) { buffer in
            var count = 0
            var octet: UInt8 = 0
            defer { octet = 0 }
            while true {
                let received = unsafe read(descriptor, &octet, 1)
                if received < 0, errno == EINTR { continue }
                // The end without a line end: ^D, or the terminal is gone.
                guard received == 1 else { return count == 0 ? nil : count }
                switch octet {
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return count
                case 0x03: return nil
                case 0x04: return count == 0 ? nil : count
                case 0x15: count = 0
                case 0x08, 0x7F:
                    // A character may be several octets of UTF-8; those that continue one start with the bits 10.
                    while count > 0, unsafe buffer[count - 1] & 0xC0 == 0x80 { count -= 1 }
                    count = max(0, count - 1)
                default:
                    guard count < maximumSize else { continue }
                    unsafe buffer[count] = octet
                    count += 1
                }
            }
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { octets in
            #if canImport(Darwin)
            unsafe _ = Darwin.write(descriptor, octets.baseAddress, octets.count)
            #elseif canImport(Musl)
            unsafe _ = Musl.write(descriptor, octets.baseAddress, octets.count)
            #else
            unsafe _ = Glibc.write(descriptor, octets.baseAddress, octets.count)
            #endif
        }
    }
}
