#if Client
import CLibrary
import Foundation
import Synchronization

/// A terminal that a test reads and types at.
final class PseudoTerminal: Sendable {
    private let primary: Int32
    private let secondary: Int32
    private let written = Mutex<[UInt8]>([])

    /// Opens a terminal.
    ///
    /// - Parameters:
    ///   - columns: Its width in characters.
    ///   - rows: Its height in lines.
    /// - Throws: An error of the system.
    init(columns: UInt16, rows: UInt16) throws {
        var (primary, secondary): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&primary, &secondary, nil, nil, &size) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        (self.primary, self.secondary) = (primary, secondary)
        let opened = primary
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(opened, &buffer, buffer.count)
                guard count > 0, let self else { break }
                self.written.withLock { $0 += buffer[..<count] }
            }
            close(opened)
        }
    }

    deinit { close(secondary) }

    /// The side of the program.
    var device: FileHandle { FileHandle(fileDescriptor: secondary, closeOnDealloc: false) }

    /// What was written so far; a line ends with CR LF.
    var text: String { written.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Types a text.
    func type(_ text: String) {
        var bytes = Array(text.utf8)
        unsafe _ = write(primary, &bytes, bytes.count)
    }
}
#endif
