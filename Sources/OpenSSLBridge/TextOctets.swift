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
