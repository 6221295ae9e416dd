#if Service
import TVEService
import Testing

@Suite("Cookies of a request")
struct CookieReadingTests {
    @Test(arguments: [
        ("a=1", ["1"]), ("a=1; b=2; a=3", ["1", "3"]), ("b=2", []), ("", []), (";; ;", []), ("a", [""]), ("a=", [""]),
        ("  a=x=y==", ["x=y=="]), ("aa=1;a=2", ["2"]), ("A=1", []), ("a =1", []), ("=1", []),
        // One character to Unicode, but two scalars: the mark must not hide the sign before it.
        ("b=2;\u{301}a=1;a=2", ["2"]), ("a=\u{301}x", ["\u{301}x"]), ("a\u{301}=1", []), ("a=é; a=ü", ["é", "ü"]),
    ])
    func `Values are found by their name, byte by byte`(field: String, wanted: [String]) {
        #expect(field.cookies(named: "a") == wanted)
    }
}
#endif
