import CLibrary

extension String {
    /// Lends the UTF-8 bytes of the text without a copy (native strings keep them in one piece).
    ///
    /// `String.utf8Span` does the same, but not on macOS 15.
    @inlinable
    package func withBytes<Success, Failure: Error>(
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
        if let result = unsafe utf8.withContiguousStorageIfAvailable(lend) { return try result.get() }
        var text = self
        return try text.withUTF8(lend).get()
    }

    /// Compares the UTF-8 of two texts in a fraction of the time that the views of the texts take.
    ///
    /// It does not use `withBytes`, which retains what its closures hold: that made a question to a ledger half as long
    /// again, as far as it does not wait for memory.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areSame = unsafe utf8.withContiguousStorageIfAvailable { one in
            unsafe other.utf8.withContiguousStorageIfAvailable { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
        if let areSame, let areSame { return areSame }
        return utf8.elementsEqual(other.utf8)
    }

    /// Makes a string of bytes; `nil` if they are not UTF-8.
    package init?(validating span: Span<UInt8>) {
        let text = unsafe span.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        guard let text else { return nil }
        self = text
    }

    /// Makes a string of bytes that are known to be UTF-8.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Lends the bytes without a copy.
    ///
    /// `Array.span` does the same, but not on macOS 15. Hot paths, which must not pay for a closure, take the span of a
    /// slice: `let slice = bytes[...]` and then `slice.span`.
    @inlinable
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try unsafe withUnsafeBufferPointer { bytes throws(Failure) in try body(unsafe bytes.span) }
    }

    /// Adds bytes in one step.
    package mutating func append(copying span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Copies bytes in one step; the initialisers that take an `OutputSpan` go byte by byte.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Hasher {
    /// Takes the UTF-8 of a text, in step with `hasSameBytes(as:)`.
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

extension Span<UInt8> {
    /// Compares two pieces of text, many bytes at a time.
    package func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { one in
            unsafe other.withUnsafeBufferPointer { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
    }

    /// Finds the values of a field in a text of fields: `NAME=VALUE`, with separators between them.
    ///
    /// They are found by their bytes: a separator with a combining mark after it is another character. Empty fields are
    /// skipped, and one without `=` has an empty value. With `spaced`, spaces before a name are no part of it.
    package func values(of name: Span<UInt8>, between separator: UInt8, spaced: Bool = false) -> [Range<Int>] {
        var values: [Range<Int>] = []
        var next = 0
        while next < count {
            var start = next
            let end = firstIndex(of: separator, in: start..<count) ?? count
            next = end + 1
            guard start < end else { continue }
            while spaced, start < end, self[start] == UInt8(ascii: " ") { start += 1 }
            let nameEnd = firstIndex(of: UInt8(ascii: "="), in: start..<end) ?? end
            guard extracting(start..<nameEnd).hasSameBytes(as: name) else { continue }
            values.append(min(nameEnd + 1, end)..<end)
        }
        return values
    }

    /// Finds the first place of a byte in a range, many bytes at a time; `nil` if the range does not have it.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        unsafe extracting(range).withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return nil }
            guard let found = unsafe memchr(start, Int32(byte), bytes.count) else { return nil }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(start))
        }
    }
}
