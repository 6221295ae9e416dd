#if Client
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import MetadataDecryption
import ServiceResponses
import Testing

/// `getMetadata` and `setMetadataStatus`.
@Suite struct LegacyMetadataTests {
    static let questions: [(question: MetadataQuestion, name: String, number: Int64, arguments: [String: String])] = [
        (
            .authenticationTTL, "METADATA_AUTHENTICATION", 0, ["METADATA_OPCODE_KEY": "METADATA_AUTHENTICATION"]
        ),
        (
            .authorizationTTL("REF30"), "METADATA_AUTHORIZATION", 1,
            ["METADATA_OPCODE_KEY": "METADATA_AUTHORIZATION", "METADATA_RESOURCE_ID_KEY": "REF30"]
        ),
        (.deviceIdentifier, "METADATA_DEVICE_ID", 2, ["METADATA_OPCODE_KEY": "METADATA_DEVICE_ID"]),
        (
            .userMetadata("zip"), "METADATA_USER_META", 3,
            ["METADATA_OPCODE_KEY": "METADATA_USER_META", "METADATA_USER_META_KEY": "zip"]
        ),
        (.userMetadata(nil), "METADATA_USER_META", 3, ["METADATA_OPCODE_KEY": "METADATA_USER_META"]),
    ]

    @Test(arguments: questions.indices)
    func `A question has the names of the operator's constants`(index: Int) {
        let row = Self.questions[index]
        #expect(row.question.legacyName == row.name && row.question.legacyNumber == row.number)
        let arguments = row.arguments.sorted { $0.key < $1.key }
        let members = arguments.map { JSON.Member(name: $0.key, value: .string($0.value)) }
        #expect(row.question.legacyArguments == .object(JSON.Object(members)))
        #expect(MetadataQuestion(legacyArguments: row.arguments) == row.question)
        var numbered = row.arguments
        numbered["METADATA_OPCODE_KEY"] = String(row.number)
        #expect(MetadataQuestion(legacyArguments: numbered) == row.question)
    }

    @Test(arguments: [
        [:], ["METADATA_OPCODE_KEY": "METADATA_NOTHING"], ["METADATA_OPCODE_KEY": "METADATA_AUTHORIZATION"],
        ["METADATA_OPCODE_KEY": "METADATA_AUTHORIZATION", "METADATA_RESOURCE_ID_KEY": ""],
        ["METADATA_OPCODE_KEY": "4"],
    ])
    func `A dictionary that is not a question is refused`(arguments: [String: String]) {
        #expect(MetadataQuestion(legacyArguments: arguments) == nil)
    }

    @Test(
        arguments: [
            (.instant(Timestamp(milliseconds: 1_300_494_574_000)), "2011/03/19 00:29:34 GMT +0000"),
            (.text("id"), "id"), (.json(#"["77754"]"#), ["77754"]),
            (.json(#"{"MPAA":"PG-13"}"#), ["MPAA": "PG-13"]), (.json(#"{"b":1,"a":2}"#), ["b": 1, "a": 2]),
            (.json("not JSON"), "not JSON"),
            (nil, .null),
        ] as [(MetadataAnswer.Value?, JSON)])
    func `setMetadataStatus gets the value, whether it is encrypted, key and arguments`(
        value: MetadataAnswer.Value?, expected: JSON
    ) {
        for isEncrypted in [true, false] {
            let answer = MetadataAnswer(to: .userMetadata("zip"), value, isEncrypted: isEncrypted)
            let arguments: JSON = ["METADATA_OPCODE_KEY": "METADATA_USER_META", "METADATA_USER_META_KEY": "zip"]
            #expect(
                SessionEvent.metadata(answer).callbacks() == [
                    LegacyCallback(
                        "setMetadataStatus:encrypted:forKey:andArguments:", expected, .bool(isEncrypted), 3,
                        arguments)
                ])
        }
    }

    @Test(arguments: [
        (Int64(0), "1970/01/01 00:00:00 GMT +0000"), (1_659_793_604_999, "2022/08/06 13:46:44 GMT +0000"),
        (951_782_399_000, "2000/02/28 23:59:59 GMT +0000"), (-1, "1969/12/31 23:59:59 GMT +0000"),
        (253_402_300_799_999, "9999/12/31 23:59:59 GMT +0000"), (.max, ""), (.min, ""),
    ])
    func `An end is the text of the old tokens`(milliseconds: Int64, text: String) {
        let instant = Timestamp(milliseconds: milliseconds)
        #expect(instant.legacyExpiry == text)
        // A reader of AuthN and AuthZ tokens reads the same instant, without the milliseconds.
        let read = Timestamp(text, forms: [.slashes, .gmtBeforeOffset])
        #expect(
            text.isEmpty ? read == nil : read.map { instant.since($0).milliseconds }.map { (0..<1000) ~= $0 } == true)
    }

    @Test func `All attributes are the old object, with the encrypted ones named`() throws {
        let zip = try #require(JSONText(parsing: #"["12345","34567"]"#))
        let rating = try #require(JSONText(parsing: #"{"MPAA":"PG-13"}"#))
        let metadata = UserMetadata([
            UserMetadataEntry(.zip, plain: zip), UserMetadataEntry(.maxRating, plain: rating),
            UserMetadataEntry(.userID, plain: JSONText(string: "u\"1")),
            UserMetadataEntry(.householdID, encrypted: "QUJD"),
            UserMetadataEntry(.language, error: "invalid_configuration_user_metadata_certificate"),
        ])
        let json = metadata.legacyObject(updated: Timestamp(milliseconds: 1_334_243_471_999))
        #expect(
            json == #"{"updated":1334243471,"encrypted":["householdID"],"data":{"zip":["12345","34567"],"#
                + #""maxRating":{"MPAA":"PG-13"},"userID":"u\"1","householdID":"QUJD"}}"#)
        // Readers of the older protocol read it.
        let answer = try UserMetadataResponse(parsing: Array(json.utf8).span)
        #expect(answer.attributes[.householdID]?.state == .encrypted)
        #expect(answer.attributes[.language] == nil)
        #expect(answer.updated == Timestamp(milliseconds: 1_334_243_471_000))
    }

    @Test(
        arguments: [
            (ProfileType.appleSSO, "Apple"), (.regular, nil), (.platformSSO, nil), (.temporary, nil),
        ] as [(ProfileType, String?)])
    func `tokenSource tells the device's own account`(type: ProfileType, source: String?) async throws {
        let bench = try await AuthorizationBench()
        let now = bench.time.now
        let profile = Profile(
            mvpd: "SampleCable", notBefore: now, notAfter: now + .hours(1), type: type,
            attributes: UserMetadata([UserMetadataEntry(.userID, plain: JSONText(string: "u"))]))
        try await bench.change { $0.adopt(ProfileHint(profile), askedAt: now) }
        let answer = try await bench.session.metadata(.userMetadata("tokenSource"))
        #expect(answer.value == source.map { .text($0) })
        #expect(!answer.isEncrypted)
    }

    @Test func `Without attributes the old object is empty`() {
        #expect(
            UserMetadata([]).legacyObject(updated: Timestamp(milliseconds: 0))
                == #"{"updated":0,"encrypted":[],"data":{}}"#)
    }
}
#endif
