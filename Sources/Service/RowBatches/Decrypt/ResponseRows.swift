import EntitlementKeys
import EntitlementValues
import MetadataDecryption
import OpenSSLBridge
import ServiceResponses
package import TextCodecs

/// Rows that are response bodies of a service, which say what is encrypted.
///
/// Each attribute is decrypted on its own: one that fails does not hold the others back.
package struct ResponseRows: RowReader {
    /// The kind of response.
    package enum Body: Sendable {
        /// A profiles response of REST v2, or a single profile: each attribute has a state.
        case profiles
        /// A user metadata response of REST v1: a list names the encrypted attributes.
        case userMetadata
    }

    private let body: Body
    private let values: ValueDecrypter
    package let listsFaults = true

    /// Makes a reader for rows of one kind of response.
    package init(body: Body, values: ValueDecrypter) {
        self.body = body
        self.values = values
    }

    package func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits {
        var row = try RowEdits(text)
        do throws(ServiceResponseError) {
            switch body {
            case .profiles:
                let places = try AttributePlaces(profiles: text)
                row.faults = places.faults.map(\.fault)
                _ = decrypt(places.attributes, text, in: &row)
            case .userMetadata:
                let places = try AttributePlaces(userMetadata: text)
                let decrypted = decrypt(places.attributes, text, in: &row)
                removeMarks(of: decrypted, among: places.attributes, text, in: &row)
            }
        } catch {
            switch error {
            case .notJSON(let reason): throw JSONFault(reason: reason)
            case .tooLarge: throw JSONFault(reason: error.description)
            default: row.giveUp(error.fault)
            }
        }
        return row
    }

    // The states of attributes whose values were replaced, as written into the row.
    private static let decrypted = "decrypted"
    private static let pseudonymised = "pseudonymised"

    /// Decrypts the encrypted attributes, and returns their names.
    private func decrypt(
        _ places: [AttributePlace],
        _ text: Span<UInt8>,
        in row: inout RowEdits
    ) -> Set<MetadataAttribute> {
        var decrypted: Set<MetadataAttribute> = []
        for place in places {
            do throws(FieldFault) {
                if try decrypt(place, text, in: &row) { decrypted.insert(place.name) }
            } catch {
                row.faults.append(error)
            }
        }
        return decrypted
    }

    /// Decrypts an attribute if it is encrypted, and returns whether it was.
    private func decrypt(
        _ place: AttributePlace,
        _ text: Span<UInt8>,
        in row: inout RowEdits
    ) throws(FieldFault) -> Bool {
        let path = place.path.description
        // An earlier run may have decrypted it, perhaps with other keys.
        if let state = place.stateValue, state.kind == .string, let bytes = state.bytes(in: text) {
            let word = String(decoding: bytes, as: UTF8.self)
            if word == Self.pseudonymised { return false }
            if word == Self.decrypted {
                // A plain text must not pass for a hash in the output.
                guard values.form.pseudonyms == nil else { throw .alreadyDecrypted(path) }
                return false
            }
        }
        switch place.state {
        case .success(.plain): return false
        case .success(.encrypted): break
        case .failure(let error): throw FieldFault(path, error)
        }
        guard let value = place.value, value.kind == .string else { throw FieldFault(path, .encryptedNotText) }
        let plain = try values.text(text, value, of: place.name, at: path)
        let written = try values.written(at: path) { form throws(OpenSSLFailure) in
            try form.json(AttributeValue(text: plain.text, of: place.name))
        }
        row.replace(value.range, by: written)
        if let state = place.stateValue {
            let word = values.form.pseudonyms == nil ? Self.decrypted : Self.pseudonymised
            row.replace(state.range, by: JSONWriter.string(word))
        }
        row.note(key: plain.key.label)
        return true
    }

    /// Removes the names of decrypted attributes from the member `encrypted`.
    private func removeMarks(
        of decrypted: Set<MetadataAttribute>,
        among places: [AttributePlace],
        _ text: Span<UInt8>,
        in row: inout RowEdits
    ) {
        guard let marking = row.members[encryptedName] else { return }
        var rest: [[UInt8]] = []
        if marking.kind == .array {
            let present = Set(places.map(\.name))
            for name in (try? JSONReader.elements(of: text, in: marking.range)) ?? [] {
                let attribute = MetadataAttribute(
                    String(decoding: name.bytes(in: text) ?? [], as: UTF8.self))
                if decrypted.contains(attribute) { continue }
                rest.append(name.range.map { text[$0] })
                if !present.contains(attribute) {
                    row.faults.append(.missing("data.\(attribute.rawValue.printable)"))
                }
            }
        } else {
            for place in places where !decrypted.contains(place.name) {
                rest.append(JSONWriter.string(place.name.rawValue))
            }
        }
        guard !decrypted.isEmpty else { return }
        row.replace(
            marking.range,
            by: [UInt8(ascii: "[")] + rest.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
    }
}

private let encryptedName = "encrypted"

extension FieldFault {
    fileprivate static func alreadyDecrypted(_ path: String) -> FieldFault {
        FieldFault(
            path: path, code: "already_decrypted",
            detail: "an earlier run decrypted it; give the body as the service sent it")
    }

    fileprivate init(_ path: String, _ error: AttributeError) {
        self.init(path: path, code: error.code, detail: error.description)
    }
}

extension ServiceResponseError {
    fileprivate var fault: FieldFault {
        FieldFault(path: path?.description ?? "$", code: code, detail: reason)
    }

    /// What happened, without anything of the body: unlike the description, no names and no message of the service.
    private var reason: String {
        switch self {
        case .refused: "the service answered with an error"
        case .duplicateMember: "two members have the same name; which of them is meant cannot be known"
        case .missing: "a member is missing; is this the response that was asked for?"
        case .wrongType(_, let expected): "not \(expected.rawValue)"
        case .badTimestamp(_, let fault): "not a valid instant: \(fault)"
        case .tooMany(_, let limit): "more than \(limit) elements or values; is it a response of the service?"
        case .otherThanAsked: "about another brand or provider than was asked"
        case .tooLarge, .notJSON, .tooDeep: description
        }
    }
}
