import CLibrary

/// Holds bytes that may be secret, and overwrites them when released.
@safe
package final class WipedBytes: @unchecked Sendable {
    // Only the initialisers and deinit write the memory, when no other thread can hold the object.
    private let storage: UnsafeMutableBufferPointer<UInt8>
    package let count: Int

    /// Copies bytes; the caller wipes the source.
    package init(_ bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        count = bytes.count
        for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
    }

    /// Copies an array; the caller wipes the source, if it is secret.
    package convenience init(_ bytes: [UInt8]) {
        let slice = bytes[...]
        self.init(slice.span)
    }

    /// Allocates memory for at most `capacity` bytes and lets a closure fill it.
    ///
    /// If the closure throws, what it wrote by then is wiped.
    package init<Failure: Error>(
        capacity: Int,
        fill: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        unsafe storage.initialize(repeating: 0)
        do throws(Failure) {
            var output = unsafe OutputSpan(buffer: storage, initializedCount: 0)
            try fill(&output)
            count = unsafe output.finalize(for: storage)
        } catch {
            unsafe wipe(storage)
            unsafe storage.deallocate()
            throw error
        }
        unsafe self.storage = storage
    }

    /// Copies several parts, one after the other.
    package init(joining parts: [WipedBytes]) {
        count = parts.reduce(0) { $0 + $1.count }
        unsafe storage = .allocate(capacity: count)
        var position = 0
        for part in parts {
            part.withSpan { bytes in
                for index in bytes.indices {
                    unsafe storage.initializeElement(at: position + index, to: bytes[index])
                }
            }
            position += part.count
        }
    }

    /// Lends the bytes in place.
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body(unsafe UnsafeBufferPointer(rebasing: storage[..<count]).span)
    }

    /// Compares what two secrets of the same owner hold; the time that it takes shows where they differ.
    package func holdsSame(as other: WipedBytes) -> Bool {
        withSpan { one in
            other.withSpan { two in one.count == two.count && one.indices.allSatisfy { one[$0] == two[$0] } }
        }
    }

    deinit {
        unsafe wipe(storage)
        unsafe storage.deallocate()
    }
}

extension WipedBytes: CustomReflectable {
    /// Empty: nothing of the bytes is shown to debuggers and dumps, neither their place nor how many they are.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites memory with zeros; the compiler may not leave these calls out, even if the memory is never read again.
func wipe(_ memory: UnsafeMutableBufferPointer<UInt8>) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
    _ = unsafe memset_s(start, memory.count, 0, memory.count)
    #else
    unsafe explicit_bzero(start, memory.count)
    #endif
}
