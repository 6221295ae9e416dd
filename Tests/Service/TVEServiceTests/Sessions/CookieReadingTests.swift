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

    @Test func `Values are what is left after splitting, in every short field`() {
        let alphabet = ["a", "=", ";", " ", "\u{301}"]
        var fields = [""]
        for _ in 0..<5 {
            fields = fields.flatMap { field in alphabet.map { field + $0 } }
            for field in fields {
                let wanted = field.utf8.split(separator: UInt8(ascii: ";")).compactMap { part -> String? in
                    let part = part.drop { $0 == UInt8(ascii: " ") }
                    let name = part.prefix { $0 != UInt8(ascii: "=") }
                    return name.elementsEqual("a".utf8)
                        ? String(Substring(part[name.endIndex...].dropFirst())) : nil
                }
                let found = field.cookies(named: "a")
                #expect(found.map { Array($0.utf8) } == wanted.map { Array($0.utf8) }, "\(Array(field.utf8))")
            }
        }
    }
}
#endif
