import Foundation

/// The content of a response, or what a vector states about it, in one comparable form.
package enum Normalised: Hashable, Sendable {
    case text([UInt8])
    case number(Double)
    case integer(Int64)
    case boolean(Bool)
    case null
    case list([Normalised])
    case object([[UInt8]: Normalised])

    package static func text(_ text: String) -> Normalised { .text(Array(text.utf8)) }

    /// Members that are `nil` are left out.
    package static func object(_ members: [String: Normalised?]) -> Normalised {
        .object(
            members.reduce(into: [:]) { object, member in
                if let value = member.value { object[Array(member.key.utf8)] = value }
            })
    }

    package subscript(_ name: String) -> Normalised? {
        get {
            if case .object(let members) = self { members[Array(name.utf8)] } else { nil }
        }
        set {
            guard case .object(var members) = self else { return }
            members[Array(name.utf8)] = newValue
            self = .object(members)
        }
    }

    package var elements: [Normalised] {
        if case .list(let elements) = self { elements } else { [] }
    }

    package var string: String? {
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

    package init(from decoder: any Decoder) throws {
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
    package init(json: String) throws {
        self = try JSONDecoder().decode(Normalised.self, from: Data(json.utf8))
    }
}

extension Normalised: CustomStringConvertible {
    package var description: String {
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
