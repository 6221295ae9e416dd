import COpenSSL

/// Gathers octets that may be secret up to a fixed number, and overwrites them when released.
@safe
package struct WipedBuffer: ~Copyable {
    private let storage: UnsafeMutableBufferPointer<UInt8>
    package private(set) var count = 0

    /// Makes room, all of it zero.
    package init(capacity: Int) {
        unsafe storage = .allocate(capacity: capacity)
        unsafe storage.initialize(repeating: 0)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    /// How much room is left.
    package var room: Int { unsafe storage.count - count }

    /// Appends an octet; without room for it, nothing.
    package mutating func append(_ octet: UInt8) {
        guard room > 0 else { return }
        unsafe storage[count] = octet
        count += 1
    }

    /// Lets C write behind what is there; what does not count of it is overwritten.
    ///
    /// - Parameter fill: Writes, and returns how much of it counts; `nil` for nothing.
    /// - Returns: Whether `fill` returned a number.
    mutating func append(filling fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?) -> Bool {
        let written = unsafe fill(UnsafeMutableBufferPointer(rebasing: storage[count...]))
        count += min(max(written ?? 0, 0), room)
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: storage[count...])
        unsafe OPENSSL_cleanse(rest.baseAddress, rest.count)
        return written != nil
    }

    /// Lends the octets in place.
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body(unsafe UnsafeBufferPointer(rebasing: storage[..<count]).span)
    }
}
