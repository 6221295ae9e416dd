import Testing
import TextCodecs

@Suite struct CompactSerializationTests {
    private func kind(_ text: String) -> CompactSerialization.Kind? {
        let bytes = Array(text.utf8)
        return CompactSerialization.kind(of: bytes.span, in: 0..<bytes.count)
    }

    @Test func `The number of parts tells them apart`() {
        #expect(kind("eyJ9.e30.c2ln") == .signed)
        #expect(kind("a-_Z9..") == .signed)
        #expect(kind("eyJ9.a2V5.aXY.dGV4dA.dGFn") == .encrypted)
        // With a key that both sides know, the encrypted key is empty (RFC 7516 §5.1).
        #expect(kind("eyJ9..aXY.dGV4dA.dGFn") == .encrypted)
    }

    @Test(arguments: [
        "", ".", "eyJ9", "eyJ9.e30", "eyJ9.e30.c2ln.c2ln", "a.b.c.d.e.f", ".e30.c2ln", "....", "eyJ9.e30.c2l=",
        "eyJ9.e3+.c2ln", "eyJ9.e3/.c2ln", " eyJ9.e30.c2ln", "eyJ9.e30.c2ln\n", "eyJ9.é.c2ln",
    ])
    func `Everything else is neither`(_ text: String) {
        #expect(kind(text) == nil)
    }

    @Test func `Parts are what is between dots`() {
        let text = Array(".ab..c".utf8)
        #expect(CompactSerialization.parts(of: text.span) == [0..<0, 1..<3, 4..<4, 5..<6])
        let none = Array("ab".utf8)
        #expect(CompactSerialization.parts(of: none.span) == [0..<2])
    }

    @Test func `A part has one spelling`() {
        let text = Array("-_8.+/8.YQ==.YQ.YR.Y Q".utf8)
        let decoded = CompactSerialization.parts(of: text.span).map {
            CompactSerialization.decode(text.span, part: $0)
        }
        #expect(decoded == [[0xFB, 0xFF], nil, nil, [0x61], nil, nil])
    }
}
