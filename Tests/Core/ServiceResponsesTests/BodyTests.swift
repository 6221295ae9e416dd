import EntitlementValues
import MetadataDecryption
import ServiceResponses
import TestVectors
import Testing
import TextCodecs

/// Every kind of body: which bodies are refused, which faults are reported, and which values are never shown.
@Suite struct BodyTests {
    @Test func `A body over the limit is not read`() {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: (8 << 20) + 1)
        #expect(throws: ServiceResponseError.tooLarge(limit: 8 << 20)) { try ProfilesResponse(parsing: body) }
    }

    /// Files that Windows editors write begin with one.
    @Test func `A byte order mark before a body is dropped`() throws {
        #expect(try ProfilesResponse(parsing: "\u{FEFF}" + #"{"profiles":{}}"#).profiles.isEmpty)
        #expect(throws: ServiceResponseError.self) { try ProfilesResponse(parsing: "\u{FEFF}\u{FEFF}{}") }
    }

    @Test func `Many members are read in one pass`() throws {
        // Nested as deeply as allowed: reading the contents of every level again would take minutes.
        let inside = String(repeating: "[0],", count: 24_000) + "0"
        let body =
            #"{"profiles":{},"x":"# + String(repeating: "[", count: 60) + inside
            + String(repeating: "]", count: 60) + "}"
        var count: Int?
        try timed("a body of nested lists") { count = try ProfilesResponse(parsing: body).profiles.count }
        #expect(count == 0)
    }

    @Test func `A body of many values is refused before it is read to the end`() throws {
        // It has no end, which would be another fault.
        let elements = String(repeating: "{},", count: 2_000_000)
        let many = ServiceResponseError.tooMany(.root, limit: 50_000)
        let decisions = ServiceResponseError.tooMany(.root + "decisions", limit: 1000)
        timed("two bodies of too many values") {
            #expect(throws: many) { try ProfilesResponse(parsing: #"{"profiles":["# + elements) }
            #expect(throws: decisions) { try DecisionsResponse(parsing: #"{"decisions":["# + elements) }
        }
        #expect(many.code == "too_many")
        #expect(many.path == nil)
    }

    @Test func `Elements are limited`() throws {
        func members(_ count: Int, _ value: String) -> String {
            (0..<count).map { #""m\#($0)":\#(value)"# }.joined(separator: ",")
        }
        func code(_ body: String, _ kind: any ServiceResponse.Type) -> String? {
            do throws(ServiceResponseError) {
                _ = try kind.init(parsing: body)
                return nil
            } catch {
                return error.code
            }
        }
        let lists =
            [
                (
                    DecisionsResponse.self,
                    { #"{"decisions":[\#(Array(repeating: "{}", count: $0).joined(separator: ","))]}"# }
                ),
                (ProfilesResponse.self, { #"{"profiles":{\#(members($0, "{}"))}}"# }),
                (UserMetadataResponse.self, { #"{"data":{\#(members($0, "1"))}}"# }),
                (
                    UserMetadataResponse.self,
                    { #"{"data":{},"encrypted":[\#(Array(repeating: #""a""#, count: $0).joined(separator: ","))]}"# }
                ),
            ] as [(any ServiceResponse.Type, (Int) -> String)]
        for (kind, body) in lists {
            #expect(code(body(1000), kind) == nil)
            #expect(code(body(1001), kind) == "too_many")
        }
        let attributes = try ProfilesResponse(parsing: Fixtures.profiles(attributes: members(1001, "{}")))
        #expect(attributes.profiles.isEmpty)
        #expect(attributes.faults.map(\.code) == ["too_many"])
        let profile = #"{"notBefore":1750000000000,"notAfter":1781536000000,"attributes":{\#(members(600, "{}"))}}"#
        #expect(code(#"{"profiles":{"a":\#(profile),"b":\#(profile)}}"#, ProfilesResponse.self) == "too_many")
    }

    @Test func `The first hundred faults are listed and all are counted`() throws {
        let elements = Array(repeating: "{}", count: 1000).joined(separator: ",")
        let decisions = try DecisionsResponse(parsing: #"{"decisions":[\#(elements)]}"#)
        #expect(decisions.faults.count == 100)
        #expect(decisions.faultCount == 1000)
        let members = (0..<300).map { #""m\#($0)":{}"# }.joined(separator: ",")
        let profiles = try ProfilesResponse(parsing: #"{"profiles":{\#(members)}}"#)
        #expect(profiles.faults.count == 100)
        #expect(profiles.faultCount == 300)
    }

    @Test(
        arguments: [
            (#"{"status":404,"message":"Not Found"}"#, 404, nil), (#"{"status":"410","message":"Gone"}"#, 410, nil),
            (
                #"{"action":"authentication","status":403,"code":"authenticated_profile_expired"}"#, 403,
                EnhancedErrorCode.authenticatedProfileExpired
            ),
        ] as [(String, Int, EnhancedErrorCode?)])
    func `An error object is named`(body: String, status: Int, code: EnhancedErrorCode?) {
        let kinds: [any ServiceResponse.Type] = [
            ProfilesResponse.self, DecisionsResponse.self, UserMetadataResponse.self, AuthenticationResponse.self,
            AuthorizationResponse.self,
        ]
        for kind in kinds {
            let error = #expect(throws: ServiceResponseError.self) { try kind.init(parsing: body) }
            guard case .refused(let refusal) = error else {
                Issue.record("\(kind): \(error?.description ?? "read")")
                continue
            }
            #expect(refusal.status == status)
            #expect(refusal.code == code)
        }
    }

    @Test func `An authentication code is not an error code`() {
        let error = #expect(throws: ServiceResponseError.self) {
            try SessionResponse(parsing: #"{"code":"SECRET7","notAfter":1750000000000}"#)
        }
        #expect(error?.code == "missing_member")
        #expect(error?.description.contains("SECRET7") == false)
    }

    @Test func `Implausible times are taken and reported`() throws {
        let body =
            #"{"profiles":{"a":{"notBefore":1750000000,"notAfter":"1750000000000000"},"#
            + #""b":{"notBefore":-1,"notAfter":1781536000000}}}"#
        let response = try ProfilesResponse(parsing: body)
        #expect(response.profiles.map(\.notBefore.milliseconds) == [1_750_000_000, -1])
        #expect(response.profiles.map(\.notAfter.milliseconds) == [1_750_000_000_000_000, 1_781_536_000_000])
        let faults = response.faults.map { error -> TimestampFault? in
            if case .badTimestamp(_, let fault) = error { fault } else { nil }
        }
        #expect(faults == [.tooEarly, .tooLate, .tooEarly])
        #expect(response.profiles.map { $0.isValid(at: Fixtures.now) } == [true, true])
    }

    @Test func `A profile is good from its beginning up to its end`() throws {
        let profile = try #require(ProfilesResponse(parsing: Fixtures.profiles(attributes: "")).profiles.first)
        #expect(profile.isValid(at: profile.notBefore))
        #expect(!profile.isValid(at: profile.notBefore - TimeToLive(milliseconds: 1)))
        #expect(profile.isValid(at: profile.notAfter - TimeToLive(milliseconds: 1)))
        #expect(!profile.isValid(at: profile.notAfter))
        #expect(profile.type == .regular)
    }

    @Test func `Updated is seconds or milliseconds`() throws {
        func updated(_ text: String) throws -> Int64? {
            try UserMetadataResponse(parsing: #"{"updated":\#(text),"data":{}}"#).updated?.milliseconds
        }
        #expect(try updated("1334243471") == 1_334_243_471_000)
        #expect(try updated(#""1334243471123""#) == 1_334_243_471_123)
        #expect(try updated("null") == nil)
        let bad = try UserMetadataResponse(parsing: #"{"updated":"soon","data":{"zip":["1"]}}"#)
        #expect(bad.updated == nil)
        #expect(bad.faults == [.badTimestamp(try #require(bad.faults.first?.path), .notANumber)])
        #expect(try bad.attributes.zip == ["1"])
    }

    @Test func `Paths are shown without controls and short`() {
        let name = String(repeating: "n", count: 100)
        let body = #"{"profiles":{"a\u0007/~\n":7,"\#(name)":7}}"#
        let faults = (try? ProfilesResponse(parsing: body))?.faults ?? []
        #expect(faults.first?.description == #"profiles["a\u{7}/~\u{a}"] is not an object"#)
        #expect(faults.first?.path?.pointer == "/profiles/a\u{7}~1~0\n")
        #expect(
            faults.last?.description == #"profiles[""# + String(repeating: "n", count: 64) + #"…"] is not an object"#)
        #expect(faults.last?.path?.pointer == "/profiles/" + name)
    }

    @Test func `A duplicate is found at every level and named`() {
        let error = #expect(throws: ServiceResponseError.self) {
            try DecisionsResponse(parsing: #"{"decisions":[{"x":1},{"x":[{"y":1,"\u0079":1}]}]}"#)
        }
        #expect(error?.code == "duplicate_member")
        #expect(error?.path?.pointer == "/decisions/1/x/0")
    }

    @Test func `Nothing shows a value or a token`() throws {
        let secret = "s3cret-value"
        let profiles = try ProfilesResponse(
            parsing: Fixtures.profiles(
                attributes: #"""
                    "userID":{"value":"\#(secret)","state":"plain","x":"\#(secret)"},
                    "zip":{"value":"\#(secret)","state":"enc"},"maxRating":{"value":{"MPAA":"\#(secret)"},"state":"plain"},
                    "new":{"value":["\#(secret)"],"state":"\#(secret)"},"householdID":"\#(secret)"
                    """#))
        let decrypted = profiles.decrypted(with: try Fixtures.decrypter())
        let decisions = try DecisionsResponse(
            parsing: #"""
                {"decisions":[{"resource":"r","serviceProvider":"s","mvpd":"m","authorized":true,"x":"\#(secret)",
                "token":{"serializedToken":"\#(secret)","x":"\#(secret)"}},{"resource":["\#(secret)"]}]}
                """#)
        let authentication = try AuthenticationResponse(
            parsing: #"{"requestor":"q","mvpd":"m","userId":"\#(secret)","expires":"1750000000000"}"#)
        let metadata = try UserMetadataResponse(parsing: #"{"data":{"userID":"\#(secret)"},"x":"\#(secret)"}"#)
        let values: [Any] = [
            profiles, decrypted, decisions, authentication, metadata, profiles.profiles[0],
            profiles.profiles[0].attributes, profiles.profiles[0].attributes.entries[0],
            try profiles.profiles[0].attributes.entries[0].value.get(), decisions.decisions[0],
            try #require(decisions.decisions[0].token), decisions.unknownFields, metadata.unknownFields,
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), "\(Mirror(reflecting: value))", dumped] {
                #expect(!text.contains(secret), "\(type(of: value))")
            }
        }
        // The values themselves are available.
        #expect(try profiles.profiles[0].attributes.userID == secret)
        #expect(decisions.decisions[0].token?.serializedToken == secret)
    }
}
