import EntitlementValues
import Foundation
import Testing

/// Values as JSON, through `Codable`.
@Suite struct CodingTests {
    private struct Row: Codable, Equatable {
        var requestor: RequestorID
        var resource: ResourceID?
        var mvpds: [MVPDID]
        var subscriber: SessionGUID
        var end: Timestamp
        var length: TimeToLive
    }

    static let text = #"""
        {"end":1768498200000,"length":-7,"mvpds":["A",""],"requestor":"e\#u{301}","subscriber":"0123"}
        """#

    @Test func `Values are texts and numbers`() throws {
        let row = try JSONDecoder().decode(Row.self, from: Data(Self.text.utf8))
        #expect(row.requestor == "e\u{301}")
        #expect(row.requestor != "\u{e9}", "identifiers are bytes")
        #expect(row.resource == nil)
        #expect(row.mvpds == ["A", ""])
        #expect(row.end == Timestamp(milliseconds: 1_768_498_200_000))
        #expect(row.length == TimeToLive(milliseconds: -7))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(row), as: UTF8.self) == Self.text)
    }

    @Test(arguments: [Int64.max, .min, 0])
    func `Every millisecond comes back`(_ milliseconds: Int64) throws {
        let written = try JSONEncoder().encode([Timestamp(milliseconds: milliseconds)])
        #expect(String(decoding: written, as: UTF8.self) == "[\(milliseconds)]")
        #expect(try JSONDecoder().decode([Timestamp].self, from: written) == [Timestamp(milliseconds: milliseconds)])
        #expect(try JSONDecoder().decode([TimeToLive].self, from: written).map(\.milliseconds) == [milliseconds])
    }

    @Test(arguments: ["[1]", "[null]", "[{\"rawValue\":\"A\"}]", "[true]"])
    func `An identifier is a text`(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([RequestorID].self, from: Data(json.utf8)) }
    }

    @Test(arguments: ["[\"1768498200000\"]", "[1.5]", "[null]", "[9223372036854775808]", "[{\"milliseconds\":1}]"])
    func `A time is a whole number`(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data(json.utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([TimeToLive].self, from: Data(json.utf8)) }
    }
}
