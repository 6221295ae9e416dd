import EntitlementValues
import PlaybackSessions
import Testing
import TextCodecs

/// Claims as they are issued are read without the reader of JSON, which must say the same of every text.
@Suite struct `Claims are read as the reader of JSON reads them` {
    /// As short as claims can be, so that each byte can be tried in each place.
    static let short =
        #"{"iss":"i","sub":"0","aud":"a","iat":1,"exp":2,"jti":"AAECAwQFBgcICQoLDA0ODw","resource":"r","mvpd":"m","ceiling":3"#
    static let texts = ["\(short)}", #"\#(short),"client":"c"}"#]

    /// Compares the two readers; returns whether the claims are good.
    @discardableResult private func agree(on payload: [UInt8]) -> Bool {
        let found = Result { () throws(PlaybackSessionError) in try SessionClaims(reading: payload) }
        let wanted = Result { () throws(PlaybackSessionError) in
            guard payload.isTextWithoutNUL else { throw .malformed(.claims) }
            return try SessionClaims(json: payload)
        }
        #expect(found == wanted, "\(payload)")
        return (try? found.get()) != nil
    }

    @Test(arguments: texts)
    func `With any byte in any place`(_ text: String) {
        var payload = Array(text.utf8)
        #expect(agree(on: payload))
        for index in payload.indices {
            let right = payload[index]
            var good = 0
            for byte in UInt8.min...UInt8.max {
                payload[index] = byte
                if agree(on: payload) { good += 1 }
            }
            payload[index] = right
            #expect(good > 0, "byte \(index)")
        }
    }

    @Test(arguments: texts)
    func `With a byte less, or one more`(_ text: String) {
        let payload = Array(text.utf8)
        for index in payload.indices {
            agree(on: Array(payload[..<index] + payload[(index + 1)...]))
            #expect(!agree(on: Array(payload[..<index])))
            for byte in "\"\\{}[]:, \t\n019aTN-.\u{0}\u{7F}".utf8 {
                agree(on: Array(payload[..<index] + [byte] + payload[index...]))
            }
        }
        for end in [" ", "\n", "}", ",", #","x":1}"#, text] { #expect(!agree(on: payload + end.utf8)) }
    }

    @Test(arguments: [
        (#""i""#, #""""#, false), (#""i""#, #""i\n""#, true), (#""i""#, #""i\u000A""#, false),
        (#""i""#, "\"\u{7F}\"", false),
        (#""i""#, #""\u007f""#, true), (#""i""#, #""\u007F""#, false), (#""i""#, #""\"\\""#, true),
        (#""i""#, #""\/""#, false),
        (#""i""#, #""é ü 例 🎬""#, true), (#""i""#, "\"e\u{301}\"", true), (#""i""#, #""\u00e9""#, false),
        (#""r""#, #""T","N":"T""#, false), (#""r""#, #""{\"iss\":\"i\"}""#, true), (#""r""#, "null", false),
        (":1,", ":0,", true), (":1,", ":01,", false), (":1,", ":-0,", false), (":1,", ":+1,", false),
        (":1,", ":1.0,", false),
        (":1,", ":1e0,", false), (":1,", ":,", false), (":1,", ":2,", false), (":2,", ":1,", false),
        (":3", ":1", false),
        (":3", ":604801", true), (":3", ":604802", false), (":3", ":999999999999999999", false),
        (":3", ":9999999999999999999", false), (":3", ":18446744073709551619", false),
        ("ODw", "ODx", false), ("ODw", "OD", false), ("ODw", "ODwA", false), ("ODw", "ODw=", false),
        ("AAEC", "AA+C", false),
        ("AAEC", "AA/C", false), ("AAEC", "AA_C", true), ("AAEC", "AA-C", true),
        (#""mvpd":"m""#, #""mvpd":"m","mvpd":"m""#, false), (#""mvpd":"m","#, "", false),
        (#""mvpd":"m","ceiling":3"#, #""ceiling":3,"mvpd":"m""#, false),
    ])
    func `With other values, members and orders`(_ old: String, _ new: String, _ isGood: Bool) {
        for text in Self.texts {
            #expect(text.contains(old))
            #expect(agree(on: Array(text.replacing(old, with: new, maxReplacements: 1).utf8)) == isGood, "\(text)")
        }
    }

    @Test(arguments: ["", "{}", "[]", "null", "\u{FEFF}{}", short, "\(short),}", "\(short),\"client\":\"\"}"])
    func `Of other texts`(_ text: String) {
        #expect(!agree(on: Array(text.utf8)))
    }

    @Test func `With bytes that are not UTF-8`() {
        for bytes in [[0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0]] as [[UInt8]] {
            let start = Array(#"{"iss":""#.utf8)
            #expect(!agree(on: start + bytes + Array(Self.texts[0].utf8.dropFirst(start.count))))
        }
    }
}
