import Testing
import TextCodecs

@Suite struct FieldValuesTests {
    private func values(_ text: [UInt8], of name: String, between separator: Unicode.Scalar, spaced: Bool) -> [[UInt8]]
    {
        let (text, name) = (text[...], Array(name.utf8)[...])
        return text.span.values(of: name.span, between: UInt8(ascii: separator), spaced: spaced)
            .map { Array(text[$0]) }
    }

    /// The same, step by step.
    private func stepwise(_ text: [UInt8], of name: String, between separator: Unicode.Scalar, spaced: Bool)
        -> [[UInt8]]
    {
        text.split(separator: UInt8(ascii: separator)).compactMap { field in
            let field = spaced ? field.drop { $0 == UInt8(ascii: " ") } : field
            let found = field.prefix { $0 != UInt8(ascii: "=") }
            guard found.elementsEqual(name.utf8) else { return nil }
            return Array(field[found.endIndex...].dropFirst())
        }
    }

    @Test(arguments: ["a", "ab", "", "a=", " a"], [false, true])
    func `Are found in every short text`(_ name: String, _ spaced: Bool) {
        let alphabet = Array("ab=; ".utf8)
        var texts: [[UInt8]] = [[]]
        for _ in 0..<5 {
            for text in texts {
                let found = values(text, of: name, between: ";", spaced: spaced)
                #expect(found == stepwise(text, of: name, between: ";", spaced: spaced), "\(text)")
            }
            texts = texts.flatMap { text in alphabet.map { text + [$0] } }
        }
    }

    @Test func `Are found beside any byte`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0...8 {
                var text = Array("a=1&b&a=2".utf8)
                text[place] = byte
                for name in ["a", "b"] {
                    let found = values(text, of: name, between: "&", spaced: false)
                    #expect(found == stepwise(text, of: name, between: "&", spaced: false), "\(text)")
                }
            }
        }
    }
}
