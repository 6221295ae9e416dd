import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import MetadataDecryption
import ServiceResponses

/// The content of a response, or what a vector states about it, in one comparable form.
enum Normalised: Hashable {
    case text([UInt8])
    case number(Double)
    case integer(Int64)
    case boolean(Bool)
    case null
    case list([Normalised])
    case object([[UInt8]: Normalised])

    static func text(_ text: String) -> Normalised { .text(Array(text.utf8)) }

    /// Members that are `nil` are left out.
    static func object(_ members: [String: Normalised?]) -> Normalised {
        .object(
            members.reduce(into: [:]) { object, member in
                if let value = member.value { object[Array(member.key.utf8)] = value }
            })
    }

    subscript(_ name: String) -> Normalised? {
        get {
            if case .object(let members) = self { members[Array(name.utf8)] } else { nil }
        }
        set {
            guard case .object(var members) = self else { return }
            members[Array(name.utf8)] = newValue
            self = .object(members)
        }
    }

    var elements: [Normalised] {
        if case .list(let elements) = self { elements } else { [] }
    }

    var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

extension Normalised: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            var members: [[UInt8]: Normalised] = [:]
            for key in object.allKeys {
                members[Array(key.stringValue.utf8)] = try object.decode(Normalised.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var array = try? decoder.unkeyedContainer() {
            var elements: [Normalised] = []
            while !array.isAtEnd { elements.append(try array.decode(Normalised.self)) }
            self = .list(elements)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .boolean(bool)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    /// Reads the JSON text of a value.
    init(json: String) throws {
        self = try JSONDecoder().decode(Normalised.self, from: Data(json.utf8))
    }
}

extension Normalised: CustomStringConvertible {
    var description: String {
        switch self {
        case .text(let bytes): "\"\(String(decoding: bytes, as: UTF8.self))\""
        case .number(let number): "\(number)"
        case .integer(let number): "\(number)"
        case .boolean(let bool): "\(bool)"
        case .null: "null"
        case .list(let elements): "\(elements)"
        case .object(let members):
            "{"
                + members.map { "\(String(decoding: $0.key, as: UTF8.self)): \($0.value)" }.sorted()
                .joined(separator: ", ") + "}"
        }
    }
}

// MARK: Parts of responses

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
