import PlaybackSessions
import Testing

/// The parameters of a grant in the addresses of HLS playlists.
@Suite struct `A playlist` {
    private func rewritten(_ text: String, _ fields: [EdgeField] = [EdgeField("t", "1~a=2")]) throws -> String {
        String(decoding: try PlaylistRewriter(adding: fields).rewrite(Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("1.ts", "1.ts?t=1~a=2"), ("a/b.m3u8", "a/b.m3u8?t=1~a=2"), ("../x.ts", "../x.ts?t=1~a=2"),
        ("/live/1.ts", "/live/1.ts?t=1~a=2"), ("1.ts?v=3", "1.ts?v=3&t=1~a=2"), ("1.ts#x", "1.ts?t=1~a=2#x"),
        ("1.ts?v=3#x?y", "1.ts?v=3&t=1~a=2#x?y"), ("?v", "?v&t=1~a=2"), ("1.ts?", "1.ts?t=1~a=2"),
        ("1.ts?t=old&v=3&t", "1.ts?v=3&t=1~a=2"), ("1.ts?tt=1", "1.ts?tt=1&t=1~a=2"), ("a/b:c.ts", "a/b:c.ts?t=1~a=2"),
        // Others must not see the grant.
        ("https://other.example/1.ts", "https://other.example/1.ts"), ("//other.example/1.ts", "//other.example/1.ts"),
        ("HTTP:1.ts", "HTTP:1.ts"), ("data:text/plain,x", "data:text/plain,x"), ("\\\\other\\1.ts", "\\\\other\\1.ts"),
        ("/\\other.example/1.ts", "/\\other.example/1.ts"), ("\t//other.example/1.ts", "\t//other.example/1.ts"),
        // So may they who get the address once a player has put a variable in.
        ("{$x}1.ts", "{$x}1.ts"), ("a/{$x}.ts?v=3", "a/{$x}.ts?v=3"),
        (#"#EXT-X-MAP:URI="{$host}/init.mp4""#, #"#EXT-X-MAP:URI="{$host}/init.mp4""#),
        ("# https comment", "# https comment"), ("#EXTINF:4.0,a,URI=\"b\"", "#EXTINF:4.0,a,URI=\"b\""), ("", ""),
        (#"#EXT-X-MAP:URI="init.mp4",BYTERANGE="9@0""#, #"#EXT-X-MAP:URI="init.mp4?t=1~a=2",BYTERANGE="9@0""#),
        (#"#EXT-X-MEDIA:NAME="x,URI=y",URI="z""#, #"#EXT-X-MEDIA:NAME="x,URI=y",URI="z?t=1~a=2""#),
        (
            #"#EXT-X-KEY:METHOD=AES-128,URI="https://k.example/1",IV=0x1"#,
            #"#EXT-X-KEY:METHOD=AES-128,URI="https://k.example/1",IV=0x1"#
        ),
        (#"#EXT-X-KEY:METHOD=NONE"#, #"#EXT-X-KEY:METHOD=NONE"#), (#"#EXT-X-MAP:URI="open"#, #"#EXT-X-MAP:URI="open"#),
        (#"#EXT-X-X:XURI="a",URI=b"#, #"#EXT-X-X:XURI="a",URI=b"#), (#"#EXT-X-ENDLIST"#, #"#EXT-X-ENDLIST"#),
    ])
    func `Gets the parameters in relative addresses alone`(_ line: String, _ expected: String) throws {
        for end in ["\n", "\r\n"] {
            let text = ["#EXTM3U", line, "#EXT-X-ENDLIST", ""].joined(separator: end)
            let wanted = ["#EXTM3U", expected, "#EXT-X-ENDLIST", ""].joined(separator: end)
            let found = try rewritten(text)
            #expect(Array(found.utf8) == Array(wanted.utf8))
            #expect(Array(try rewritten(found).utf8) == Array(wanted.utf8), "a second pass changes nothing")
        }
    }

    @Test func `Gets the parameters of each form`() throws {
        for carrier in [EdgeCarrier.linkInQuery, .token, .policy] {
            let issued = try carrier.issue(EdgeSamples.grant())
            let lines = try rewritten("#EXTM3U\nvideo/1.ts\n", issued.parameters).split(separator: "\n")
            let request = try EdgeRequest(target: "/live/a/\(lines[1])")
            #expect(try carrier.code(request) == "valid")
        }
    }

    @Test(arguments: ["", "#EXTM3", "#EXTM3U8\n", "\u{FEFF}#EXTM3U\n", " #EXTM3U\n", "<html>"])
    func `Is refused if it is something else`(_ text: String) {
        #expect(throws: PlaybackSessionError.malformed(.playlist)) { try rewritten(text) }
    }

    @Test func `Is bounded, and so is what becomes of it`() throws {
        let long = "#EXTM3U\n" + String(repeating: "a", count: PlaylistRewriter.maximumInput)
        #expect(throws: PlaybackSessionError.tooLarge(limit: PlaylistRewriter.maximumInput)) { try rewritten(long) }
        let many = "#EXTM3U\n" + String(repeating: "a\n", count: 500_000)
        let field = EdgeField("t", String(repeating: "x", count: 4000))
        #expect(throws: PlaybackSessionError.tooLarge(limit: PlaylistRewriter.maximumOutput)) {
            try rewritten(many, [field])
        }
    }

    @Test(arguments: [
        [], [EdgeField("", "x")], [EdgeField("a", "\"")], [EdgeField("a", "b&c")], [EdgeField("a", "b#")],
        [EdgeField("a", "b\nc")], [EdgeField("a", String(repeating: "x", count: 4096))],
    ])
    func `Takes no parameters that would need an escape`(_ fields: [EdgeField]) {
        #expect(throws: PlaybackSessionError.self) { try PlaylistRewriter(adding: fields) }
    }
}
