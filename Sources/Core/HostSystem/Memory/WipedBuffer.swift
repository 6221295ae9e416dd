/// Collects bytes that may be secret, up to a fixed number, and overwrites them when released.
@safe
package struct WipedBuffer: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<UInt8>
    package private(set) var count = 0

    /// Allocates memory for a number of bytes.
    package init(capacity: Int) {
        unsafe storage = .allocate(capacity: capacity)
        unsafe storage.initialize(repeating: 0)
    }

    deinit {
        unsafe wipe(storage)
        unsafe storage.deallocate()
    }

    /// How many more bytes fit.
    package var room: Int { unsafe storage.count - count }

    /// Appends a byte; does nothing if the buffer is full.
    package mutating func append(_ byte: UInt8) {
        guard room > 0 else { return }
        unsafe storage[count] = byte
        count += 1
    }

    /// Wipes everything that was appended.
    package mutating func removeAll() {
        count = 0
        unsafe wipe(storage)
    }

    /// Wipes the last character of a UTF-8 text.
    package mutating func removeLastCharacter() {
        var end = count
        // Continuation bytes start with the bits 10 (RFC 3629 §3).
        while end > 0, unsafe storage[end - 1] & 0xC0 == 0x80 { end -= 1 }
        end = max(0, end - 1)
        unsafe wipe(UnsafeMutableBufferPointer(rebasing: storage[end..<count]))
        count = end
    }

    /// Appends what `fill` writes and wipes the unused capacity; if `fill` throws, nothing is appended.
    package mutating func append<Failure: Error>(
        filling fill: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        defer { unsafe wipe(UnsafeMutableBufferPointer(rebasing: storage[count...])) }
        let free = unsafe UnsafeMutableBufferPointer(rebasing: storage[count...])
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        try fill(&output)
        count += unsafe output.finalize(for: free)
    }

    /// Lends the bytes in place.
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body(unsafe UnsafeBufferPointer(rebasing: storage[..<count]).span)
    }
}
