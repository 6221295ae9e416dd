import EntitlementKeys
import MetadataDecryption
import ServiceResponses
import TestVectors
import Testing

/// One call decrypts the encrypted attributes of a response and leaves the others.
@Suite struct DecryptionTests {
    private static let attributes = #"""
        "userID":{"value":"\#(Encrypted.userID)","state":"enc"},
        "zip":{"value":"\#(Encrypted.zipList)","state":"enc"},
        "maxRating":{"value":"\#(Encrypted.rating)","state":"encrypted"},
        "hba_status":{"value":"\#(Encrypted.flag)","state":"ENC"},
        "language":{"value":"en","state":"plain"},
        "encryptedZip":{"value":"\#(Encrypted.bareZip)","state":"enc"},
        "householdID":{"value":"house one","state":"enc"},
        "typeID":{"value":"QUJD","state":"enc"},
        "primaryOID":{"value":"","state":"enc"},
        "mvpd":{"value":"TestMVPD","state":"new"}
        """#

    @Test func `Every attribute has its own outcome`() throws {
        let response = try ProfilesResponse(parsing: Fixtures.profiles(attributes: Self.attributes))
        let user = try #require(response.decrypted(with: try Fixtures.decrypter()).profiles.first).attributes
        #expect(try user.userID == "subject-0001")
        #expect(try user.zip == ["77754", "12345"])
        #expect(try user.value(.zip)?.text == #"["77754","12345"]"#)
        #expect(try user.maxRating?.vchip == "TV-Y")
        #expect(try user.maxRating?.unknownFields.map(\.name) == ["other"])
        #expect(try user.hbaStatus == true)
        #expect(try user.language == "en")
        #expect(throws: AttributeError.decryption(.foreignScheme(.encryptedZip))) { try user.value(.encryptedZip) }
        #expect(throws: AttributeError.decryption(.notBase64)) { try user.householdID }
        #expect(throws: AttributeError.unknownState) { try user.value(.mvpd) }
        for name in [MetadataAttribute.typeID, .primaryOID] {
            let error = #expect(throws: AttributeError.self) { try user.value(name) }
            #expect(error?.code == "wrong_length")
        }
        #expect(user[.zip]?.key?.label == "test-only-issuer-2048.pkcs8.pem")
        #expect(user[.language]?.key == nil)
        #expect(user[.zip]?.state == .encrypted)
    }

    @Test func `A bare ZIP is a list of one`() throws {
        let body = #"{"updated":1334243471,"encrypted":["zip"],"data":{"zip":"\#(Encrypted.bareZip)","userID":"u"}}"#
        let user = try UserMetadataResponse(parsing: body).decrypted(with: try Fixtures.decrypter()).attributes
        #expect(try user.zip == ["77754"])
        #expect(try user.userID == "u")
    }

    @Test func `A wrong key reads nothing`() throws {
        let keys = try DecryptionKeys(contentsOfFile: Vectors.key("test-only-issuer-2048-high.pkcs8.pem"))
        let response = try ProfilesResponse(parsing: Fixtures.profiles(attributes: Self.attributes))
        let user = try #require(response.decrypted(with: MetadataDecrypter(keys: keys)).profiles.first).attributes
        #expect(throws: AttributeError.decryption(.undecryptable)) { try user.zip }
        #expect(try user.language == "en")
    }

    @Test func `Decrypting twice changes nothing`() throws {
        let decrypter = try Fixtures.decrypter()
        let once = try Fixtures.attributes(Self.attributes).decrypted(with: decrypter)
        let twice = once.decrypted(with: decrypter)
        #expect(once.entries.map { try? $0.value.get() } == twice.entries.map { try? $0.value.get() })
        #expect(twice[.zip]?.key != nil)
    }
}
