import CLibrary

/// Lends the UTF-8 bytes of a text without a copy (native strings keep them in one piece).
///
/// `String.utf8Span` does the same, but not on macOS 15.
package func withBytes<Success, Failure: Error>(
    of text: String,
    _ body: (Span<UInt8>) throws(Failure) -> Success
) throws(Failure) -> Success {
    // The standard library rethrows untyped, so the typed error travels in a Result.
    func lend(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Success, Failure> {
        do throws(Failure) {
            return .success(try body(unsafe bytes.span))
        } catch {
            return .failure(error)
        }
    }
    // The first takes half the time of the second, and has nothing to lend of a text that is bridged.
    if let result = unsafe text.utf8.withContiguousStorageIfAvailable(lend) { return try result.get() }
    var text = text
    return try text.withUTF8(lend).get()
}

extension [UInt8] {
    /// Copies bytes in one step; the initialisers that take an `OutputSpan` go byte by byte.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

/// Compares the UTF-8 of two texts in a fraction of what the views of the texts take.
///
/// Not by `withBytes`, which retains what its closures hold: that made a question to a ledger half as long again, as far
/// as it does not wait for memory.
package func haveSameBytes(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    let areSame = unsafe one.utf8.withContiguousStorageIfAvailable { one in
        unsafe other.utf8.withContiguousStorageIfAvailable { other in
            guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
            return unsafe memcmp(start, otherStart, one.count) == 0
        }
    }
    if let areSame, let areSame { return areSame }
    return one.utf8.elementsEqual(other.utf8)
}

extension Hasher {
    /// Takes the UTF-8 of a text, in step with `haveSameBytes`.
    package mutating func combine(bytesOf text: String) {
        let lent: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe combine(bytes: UnsafeRawBufferPointer($0))
        }
        if lent == nil {
            var text = text
            text.withUTF8 { unsafe combine(bytes: UnsafeRawBufferPointer($0)) }
        }
        // Occurs in no text, so that no byte can move from one text to the next.
        combine(0xFF as UInt8)
    }
}

extension String {
    /// Makes a string of bytes that are known to be UTF-8.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension Span<UInt8> {
    /// Where an byte first occurs in a range, found many bytes at a time; `nil` where it does not.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        unsafe extracting(range).withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return nil }
            guard let found = unsafe memchr(start, Int32(byte), bytes.count) else { return nil }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(start))
        }
    }
}
