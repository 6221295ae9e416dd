import CLibrary
import Foundation

/// A terminal that a run writes to.
final class Terminal {
    /// The side of the run.
    let device: FileHandle
    private let primary: Int32

    /// Opens a terminal.
    ///
    /// - Throws: An error of the system.
    init() throws {
        var (primary, secondary): (Int32, Int32) = (-1, -1)
        guard unsafe openpty(&primary, &secondary, nil, nil, nil) == 0 else { throw POSIXError(.ENOTTY) }
        // A test that finds nothing must not wait for it.
        _ = fcntl(primary, F_SETFL, O_NONBLOCK)
        self.primary = primary
        device = FileHandle(fileDescriptor: secondary, closeOnDealloc: true)
    }

    deinit { close(primary) }

    /// Takes what has been written, of a few KiB at most.
    func text() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = unsafe read(primary, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
