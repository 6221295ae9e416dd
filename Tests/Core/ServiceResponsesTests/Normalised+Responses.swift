import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import MetadataDecryption
import ServiceResponses
import TestVectors

// Parts of responses, in the form of the vectors.

extension Normalised {
    init(_ instant: Timestamp) { self = .integer(instant.milliseconds) }

    /// `nil` if there are none, since vectors leave the member out.
    static func fields(_ fields: [JSONField]) -> Normalised? {
        guard !fields.isEmpty else { return nil }
        return .object(
            fields.reduce(into: [:]) { object, field in
                object[Array(field.name.utf8)] = .text(field.value.text)
            })
    }

    static func attributes(_ encoded: UserMetadata, _ decrypter: MetadataDecrypter) throws -> Normalised {
        .list(try zip(encoded.entries, encoded.decrypted(with: decrypter).entries).map(attribute))
    }

    private static func attribute(_ entry: UserMetadataEntry, _ decrypted: UserMetadataEntry) throws -> Normalised {
        var attribute: [String: Normalised?] = [
            "name": .text(entry.name.rawValue), "other": fields(entry.unknownFields),
        ]
        switch entry.value {
        case .success(let value):
            attribute["state"] = .text("plain")
            attribute["raw"] = .text(value.text)
            try add(value, to: &attribute)
        case .failure(.encrypted):
            attribute["state"] = .text("encrypted")
            attribute["raw"] = entry.json?.string.map { .text($0) }
            attribute["kind"] = .text("text")
            attribute["decryption"] = try decryption(decrypted)
        case .failure(let error):
            attribute["error"] = .text(error.code)
        }
        return .object(attribute)
    }

    private static func decryption(_ entry: UserMetadataEntry) throws -> Normalised {
        switch entry.value {
        case .success(let value):
            let file = entry.key.map { URL(filePath: $0.source).lastPathComponent }
            var decryption: [String: Normalised?] = ["text": .text(value.text), "key": file.map { .text($0) }]
            try add(value, to: &decryption)
            return .object(decryption)
        case .failure(let error):
            return .object(["code": .text(error.code)])
        }
    }

    private static func add(_ value: AttributeValue, to members: inout [String: Normalised?]) throws {
        let (kind, content): (String, Normalised?) =
            switch value.content {
            case .text(let text): ("text", .text(text))
            case .list(let texts): ("list", .list(texts.map { .text($0) }))
            case .boolean(let bool): ("boolean", .boolean(bool))
            case .object: ("object", try Normalised(json: value.text))
            case .number: ("number", nil)
            case .null: ("null", nil)
            default: ("other", nil)
            }
        members["kind"] = .text(kind)
        members["value"] = content
    }

    init(_ error: EnhancedError) {
        self = .object([
            "action": error.action.map { .text($0.rawValue) }, "status": error.status.map { .integer(Int64($0)) },
            "code": error.code.map { .text($0.rawValue) }, "message": error.message.map { .text($0) },
            "details": error.details.map { .text($0) }, "helpUrl": error.helpURL.map { .text($0) },
            "trace": error.trace.map { .text($0) }, "other": .fields(error.unknownFields),
        ])
    }

    /// The members `verdict` and `crossCheck`; none if a token was not verified.
    static func verdict(_ verify: () throws(ResponseTokenError) -> VerifiedMediaToken) -> [String: Normalised?] {
        do throws(ResponseTokenError) {
            _ = try verify()
            return ["verdict": .text("valid"), "crossCheck": .list([])]
        } catch {
            switch error {
            case .mismatch(let differences):
                let names = differences.map { difference in
                    switch difference {
                    case .requestor: "requestor"
                    case .resource: "resource"
                    case .mvpd: "mvpd"
                    case .start: "start"
                    case .end: "end"
                    }
                }
                return ["verdict": .text("valid"), "crossCheck": .list(names.map { .text($0) })]
            case .refused(let refusal): return ["verdict": .text(refusal.code)]
            case .tokenWithoutAuthorization, .notAuthorized, .noToken: return [:]
            }
        }
    }
}
