import EntitlementValues
import MetadataDecryption
import TextCodecs

/// A path to values in a row: names separated by dots, such as `user.zip` or `items.*.zip`.
///
/// In an array a number selects an element, from 0; `*` selects every element of an array or every member of an object.
/// After a backslash, a dot, a star or a backslash is part of a name.
package struct FieldPath: Sendable {
    enum Step: Sendable {
        /// A name, and its spelling in a path.
        case name(String, spelled: String)
        case every
    }

    /// The path as the user wrote it.
    package let text: String
    let steps: [Step]
    /// Whether a row may lack the value: the member, or an element on the way to it, is missing, `null` or empty.
    let isOptional: Bool

    /// Reads a path; `nil` if a name is empty, or a backslash comes before anything but `.`, `*` or `\`.
    ///
    /// If it is optional, a row may lack the value, or hold `null` or an empty string in its place.
    package init?(_ text: String, isOptional: Bool = false) {
        var steps: [Step] = []
        var name: [UInt8] = []
        var isPlain = true
        var bytes = text.utf8.makeIterator()
        func step() -> Step {
            if isPlain, name == [UInt8(ascii: "*")] { return .every }
            let name = String(decoding: name, as: UTF8.self)
            return .name(name, spelled: Self.spelled(name))
        }
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.next(), Self.escaped.contains(escaped) else { return nil }
                name.append(escaped)
                isPlain = false
            case UInt8(ascii: "."):
                guard !name.isEmpty else { return nil }
                steps.append(step())
                name = []
                isPlain = true
            default:
                name.append(byte)
            }
        }
        guard !name.isEmpty else { return nil }
        steps.append(step())
        self.text = text
        self.steps = steps
        self.isOptional = isOptional
    }

    /// Spells a name as a path does, with backslashes.
    static func spelled(_ name: String) -> String {
        var spelled: [UInt8] = []
        for byte in name.utf8 {
            if escaped.contains(byte) { spelled.append(UInt8(ascii: "\\")) }
            spelled.append(byte)
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static let escaped = Array("\\.*".utf8)
}

/// A value of a row, and the path that leads to this value only.
struct FoundField {
    let path: String
    let value: JSONValue
    /// The attribute of the value: the last name on the path that is not a number, or the name before `value`, as in
    /// `attributes.zip.value`.
    let attribute: MetadataAttribute?

    /// Whether it is `null` or an empty string.
    var isEmpty: Bool { value.kind == .null || value.kind == .string && value.content.isEmpty }
}

extension FieldPath {
    /// Finds the strings that the path leads to, in the order of the row, each with the path that leads to it only.
    ///
    /// Throws if a member on the path is missing and the path is not optional, or the value is not a string.
    func strings(in members: JSONMembers, _ text: Span<UInt8>) throws(FieldFault) -> [FoundField] {
        var fields: [FoundField] = []
        for (index, step) in steps.enumerated() {
            if index == 0 {
                fields = try found { () throws(FieldFault) in try Self.select(step, of: members, at: "", within: nil) }
                continue
            }
            var next: [FoundField] = []
            for field in fields {
                next += try found { () throws(FieldFault) in try Self.select(step, of: field, text) }
            }
            fields = next
        }
        if isOptional { fields.removeAll(where: \.isEmpty) }
        for field in fields where field.value.kind != .string {
            let detail = "a JSON \(field.value.kind.rawValue) instead of a string"
            throw FieldFault(path: field.path, code: "not_a_string", detail: detail)
        }
        return fields
    }

    /// What a step finds: nothing, if the path is optional and the row ends before it.
    private func found(
        _ select: () throws(FieldFault) -> [FoundField]
    ) throws(FieldFault) -> [FoundField] {
        do throws(FieldFault) {
            return try select()
        } catch {
            guard isOptional, error.isMissing, !error.isInText else { throw error }
            return []
        }
    }

    private static func select(
        _ step: Step,
        of field: FoundField,
        _ text: Span<UInt8>
    ) throws(FieldFault) -> [FoundField] {
        let prefix = field.path + "."
        switch field.value.kind {
        case .object:
            return try select(step, of: try members(text, field), at: prefix, within: field.attribute)
        case .array:
            let elements = try elements(text, field)
            let all = elements.enumerated().map { index, element in
                FoundField(path: "\(prefix)\(index)", value: element, attribute: field.attribute)
            }
            guard case .name(let name, let spelled) = step else { return all }
            guard let index = Int(name), all.indices.contains(index) else {
                throw .missing(prefix + spelled)
            }
            return [all[index]]
        default:
            let name: String = if case .name(_, let spelled) = step { spelled } else { "*" }
            throw .missing(prefix + name, in: field, text)
        }
    }

    private static func select(
        _ step: Step,
        of members: JSONMembers,
        at prefix: String,
        within attribute: MetadataAttribute?
    ) throws(FieldFault) -> [FoundField] {
        switch step {
        case .name(let name, let spelled):
            let path = prefix + spelled
            guard let value = members[name] else { throw .missing(path) }
            return [FoundField(path: path, value: value, attribute: Self.attribute(name, within: attribute))]
        case .every:
            // The answer of an earlier run is not a field of the row.
            return members.list.filter { !prefix.isEmpty || !$0.name.hasSameBytes(as: "_tve") }
                .map { member in
                    let path = prefix + spelled(member.name)
                    return FoundField(
                        path: path, value: member.value, attribute: Self.attribute(member.name, within: attribute))
                }
        }
    }

    /// The attribute that a name denotes: that of the names before it, if it is a number, which selects an element, or
    /// the `value` of an attribute with its state.
    private static func attribute(_ name: String, within attribute: MetadataAttribute?) -> MetadataAttribute? {
        if name.utf8.allSatisfy(\.isASCIIDigit) { return attribute }
        return name == "value" && attribute != nil ? attribute : MetadataAttribute(name)
    }

    private static func members(
        _ text: Span<UInt8>,
        _ field: FoundField
    ) throws(FieldFault) -> JSONMembers {
        do throws(JSONFault) {
            return try JSONReader.members(of: text, in: field.value.range)
        } catch {
            throw FieldFault(path: field.path, code: "bad_row", detail: error.reason)
        }
    }

    private static func elements(_ text: Span<UInt8>, _ field: FoundField) throws(FieldFault) -> [JSONValue] {
        do throws(JSONFault) {
            return try JSONReader.elements(of: text, in: field.value.range)
        } catch {
            throw FieldFault(path: field.path, code: "bad_row", detail: error.reason)
        }
    }
}

extension FieldFault {
    private static let missingCode = "missing_field"

    static func missing(_ path: String) -> FieldFault {
        FieldFault(path: path, code: missingCode, detail: "the row has no such field")
    }

    /// A value that is looked for within `field`, which is no object or array.
    fileprivate static func missing(_ path: String, in field: FoundField, _ text: Span<UInt8>) -> FieldFault {
        var fault = missing(path)
        guard field.value.kind == .string, let first = field.value.bytes(in: text)?.first(where: { !$0.isWhiteSpace }),
            "{[".utf8.contains(first)
        else { return fault }
        fault.isInText = true
        return fault
    }

    /// A value that is null, where each row must have one.
    static func null(_ column: String) -> FieldFault {
        FieldFault(path: column, code: missingCode, detail: "the value is null", field: column)
    }

    /// Whether the row lacks the field.
    var isMissing: Bool { code == Self.missingCode }
}
