import EntitlementValues
import MetadataDecryption
import ServiceResponses
import Testing
import TextCodecs

/// The ranges of attributes are those of the original bytes.
@Suite struct AttributePlaceTests {
    private func text(_ body: String, _ value: JSONValue?) -> String? {
        let bytes = Array(body.utf8)
        return value.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    @Test func `Places are those of the body`() throws {
        let body =
            #" {"profiles" : {"M\u0031": {"attributes":{ "zip" : {"state" : "enc", "value": "AA\n=="},"#
            + #""b":{"value":{"x":[1]},"state":"plain"}, "c":7}},"M2":{"attributes":{"zip":{"value":"1"}}}}}"#
        let bytes = Array(body.utf8)
        let places = try AttributePlaces(profiles: bytes.span)
        #expect(
            places.attributes.map(\.path.pointer) == [
                "/profiles/M1/attributes/zip", "/profiles/M1/attributes/b", "/profiles/M1/attributes/c",
                "/profiles/M2/attributes/zip",
            ])
        #expect(places.attributes.map(\.name) == ["zip", "b", "c", "zip"])
        #expect(places.attributes.map { text(body, $0.value) } == [#""AA\n==""#, #"{"x":[1]}"#, nil, #""1""#])
        #expect(places.attributes.map { text(body, $0.stateValue) } == [#""enc""#, #""plain""#, nil, nil])
        #expect(
            places.attributes.map(\.state) == [
                .success(.encrypted), .success(.plain), .failure(.malformed), .failure(.unknownState),
            ])
        #expect(places.encryptedNames == nil)
    }

    @Test func `A broken profile does not lose the others`() throws {
        let good = #"{"attributes":{"zip":{"value":"AA==","state":"enc"}}}"#
        let bytes = Array(#"{"profiles":{"M1":7,"M2":\#(good),"M3":{"attributes":[]},"M4":\#(good)}}"#.utf8)
        let places = try AttributePlaces(profiles: bytes.span)
        #expect(
            places.attributes.map(\.path.pointer) == ["/profiles/M2/attributes/zip", "/profiles/M4/attributes/zip"])
        #expect(places.faults.map(\.code) == ["wrong_type", "wrong_type"])
        #expect(places.faults.map(\.path?.pointer) == ["/profiles/M1", "/profiles/M3/attributes"])
    }

    @Test func `A single profile is read too`() throws {
        let bytes = Array(#"{"notAfter":1,"attributes":{"zip":{"value":"AA==","state":"ENC"}}}"#.utf8)
        let places = try AttributePlaces(profiles: bytes.span)
        #expect(places.attributes.map(\.path.pointer) == ["/attributes/zip"])
        #expect(places.attributes.map(\.state) == [.success(.encrypted)])
    }

    @Test func `Version one has its marking beside the data`() throws {
        let body = #"{"encrypted":["zip", "none"],"data":{"zip":"AA==","userID":"u","d":{"zip":1}}}"#
        let bytes = Array(body.utf8)
        let places = try AttributePlaces(userMetadata: bytes.span)
        #expect(places.attributes.map(\.state) == [.success(.encrypted), .success(.plain), .success(.plain)])
        #expect(places.attributes.map { text(body, $0.value) } == [#""AA==""#, #""u""#, #"{"zip":1}"#])
        #expect(places.attributes.map(\.path.pointer) == ["/data/zip", "/data/userID", "/data/d"])
        #expect(text(body, places.encryptedNames) == #"["zip", "none"]"#)
    }

    @Test(arguments: [("true", AttributeState.encrypted), ("false", .plain), ("null", .plain), ("[]", .plain)])
    func `A bool marks them all`(marking: String, state: AttributeState) throws {
        let bytes = Array(#"{"encrypted":\#(marking),"data":{"zip":"1","a":"2"}}"#.utf8)
        let places = try AttributePlaces(userMetadata: bytes.span)
        #expect(places.attributes.map(\.state) == [.success(state), .success(state)])
    }

    @Test(arguments: [
        ("7", "wrong_type"), (#""true""#, "wrong_type"), (#"["zip",7]"#, "wrong_type"),
        (#"{"zip":true}"#, "wrong_type"),
    ])
    func `An unreadable marking loses the body`(marking: String, code: String) {
        let bytes = Array(#"{"encrypted":\#(marking),"data":{"zip":"1"}}"#.utf8)
        let error = #expect(throws: ServiceResponseError.self) { try AttributePlaces(userMetadata: bytes.span) }
        #expect(error?.code == code)
        let second = #expect(throws: ServiceResponseError.self) { try UserMetadataResponse(parsing: bytes.span) }
        #expect(second == error)
    }

    @Test(arguments: ["{}", #"{"profiles":null}"#, #"{"attributes":null}"#, #"{"profile":{}}"#])
    func `A body without profiles is refused`(body: String) {
        let bytes = Array(body.utf8)
        let error = #expect(throws: ServiceResponseError.self) { try AttributePlaces(profiles: bytes.span) }
        #expect(error?.code == "missing_member")
        #expect(error?.path?.pointer == "/profiles")
    }
}
