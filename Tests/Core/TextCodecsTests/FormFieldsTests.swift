import Testing
import TextCodecs

@Suite struct FormFieldsTests {
    private func read(_ text: String) throws -> FormFields {
        try text.withBytes { bytes throws(FormFault) in try FormFields(parsing: bytes) }
    }

    private func written(_ fields: (String, String)...) -> String {
        var form = FormFields()
        for (name, value) in fields { form.append(name, value) }
        return String(decoding: form.encoded(), as: UTF8.self)
    }

    /// The bytes that stay as they are are those of the URL standard's percent-encode set for forms.
    @Test func `Bytes are escaped once and spaces are pluses`() {
        #expect(written(("a", "AZaz09*-._")) == "a=AZaz09*-._")
        #expect(written(("a b", "1 2+3%20&=~'!()/?:@")) == "a+b=1+2%2B3%2520%26%3D%7E%27%21%28%29%2F%3F%3A%40")
        #expect(written(("é", "漢\r\n\0")) == "%C3%A9=%E6%BC%A2%0D%0A%00")
        #expect(written(("a", ""), ("", "b")) == "a=&=b")
        #expect(written() == "")
    }

    @Test(
        arguments: [
            ("", []), ("&", []), ("a=1", [["a", "1"]]), ("a=1&b=2", [["a", "1"], ["b", "2"]]), ("a", [["a", ""]]),
            ("a=", [["a", ""]]), ("=1", [["", "1"]]), ("=", [["", ""]]), ("a=1&&b=2&", [["a", "1"], ["b", "2"]]),
            ("a=b=c", [["a", "b=c"]]), ("a+b=c+d", [["a b", "c d"]]), ("%61=%2B%20%26", [["a", "+ &"]]),
            ("a=%252B", [["a", "%2B"]]), ("%C3%A9=%e6%bc%a2", [["é", "漢"]]), ("A=1&a=2", [["A", "1"], ["a", "2"]]),
            ("a=é", [["a", "é"]]), ("a=1;b=2", [["a", "1;b=2"]]),
        ] as [(String, [[String]])])
    func `Forms are read as browsers write them`(_ text: String, _ fields: [[String]]) throws {
        #expect(try read(text).fields.map { [$0.name, $0.value] } == fields)
    }

    @Test(arguments: [
        ("a=%", FormFault.brokenEscape(offset: 2)), ("a=%4", .brokenEscape(offset: 2)),
        ("x=1&%zz=1", .brokenEscape(offset: 4)),
        ("a=%ff", .notUTF8(offset: 2)), ("a=%C3", .notUTF8(offset: 2)), ("%ED%A0%80", .notUTF8(offset: 0)),
        ("a=1&a=1", .repeatedField(number: 2)), ("a=1&b&%61=2", .repeatedField(number: 3)),
        ("a&a", .repeatedField(number: 2)),
    ])
    func `Broken and repeated fields are faults`(_ text: String, _ fault: FormFault) {
        #expect(throws: fault) { try read(text) }
        #expect(!fault.description.contains("%z"))
    }

    @Test func `Only so many fields are read`() throws {
        let fields = (0..<65).map { "f\($0)=" }
        #expect(try read(fields.dropLast().joined(separator: "&")).fields.count == 64)
        #expect(throws: FormFault.tooManyFields(limit: 64)) { try read(fields.joined(separator: "&")) }
    }

    @Test func `Fields are found by their bytes`() throws {
        let form = try read("%C3%A9=1&e%CC%81=2")
        #expect(form["\u{E9}"] == "1")
        #expect(form["e\u{301}"] == "2")
        #expect(form["e"] == nil)
    }

    @Test func `Every byte survives`() throws {
        let text = String(String.UnicodeScalarView((1..<0x800).compactMap { Unicode.Scalar($0) }))
        var form = FormFields()
        form.append(text, text)
        form.append("absent", nil)
        let bytes = form.encoded()
        let read = try bytes.withSpan { bytes throws(FormFault) in try FormFields(parsing: bytes) }
        #expect(read == form)
        #expect(read.fields.count == 1)
    }
}
