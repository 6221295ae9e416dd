#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lends the UTF-8 octets of a text without a copy (native strings keep them in one piece).
///
/// `String.utf8Span` does the same, but not on macOS 15.
package func withOctets<Success, Failure: Error>(
    of text: String,
    _ body: (Span<UInt8>) throws(Failure) -> Success
) throws(Failure) -> Success {
    var text = text
    // withUTF8 rethrows untyped, so the typed error travels in a Result.
    let result: Result<Success, Failure> = text.withUTF8 { octets in
        do throws(Failure) {
            return .success(try body(unsafe octets.span))
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

/// Copies octets in one step; the initialisers that take an `OutputSpan` go octet by octet.
package func octets(copying span: Span<UInt8>) -> [UInt8] {
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
}

/// Compares the UTF-8 of two texts, as `EntitlementIdentifier` does, in a fraction of its time.
package func haveSameOctets(_ one: String, _ other: String) -> Bool {
    withOctets(of: one) { one in
        withOctets(of: other) { other in
            unsafe one.count == other.count
                && one.withUnsafeBufferPointer { one in
                    unsafe other.withUnsafeBufferPointer { other in unsafe one.elementsEqual(other) }
                }
        }
    }
}

/// Makes a text of octets that are known to be UTF-8.
package func text(copying span: Span<UInt8>) -> String {
    unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
}

extension Span<UInt8> {
    /// Where an octet first occurs in a range, found many octets at a time; `nil` where it does not.
    package func firstIndex(of octet: UInt8, in range: Range<Int>) -> Int? {
        unsafe extracting(range).withUnsafeBufferPointer { octets in
            guard let start = octets.baseAddress else { return nil }
            guard let found = unsafe memchr(start, Int32(octet), octets.count) else { return nil }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - UnsafeRawPointer(start))
        }
    }
}
