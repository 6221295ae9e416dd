#if CLI
import TextCodecs
import EntitlementKeys
import EntitlementValues
import MetadataDecryption
import OpenSSLBridge
import ServiceResponses

/// Rows that are bodies of a service: what is encrypted, and what type it has, stands in them.
///
/// Each attribute is decrypted, or stays, by itself.
struct ResponseRows: RowReader {
    enum Body: Sendable {
        /// Of REST v2, or a single profile: each attribute has a state.
        case profiles
        /// Of v1: a list has the names of the encrypted attributes.
        case userMetadata
    }

    let body: Body
    let values: ValueDecrypter
    let listsFaults = true

    func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits {
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
                strike(decrypted, places, text, in: &row)
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

    // The states of attributes whose values were replaced.
    private static let decrypted = "decrypted"
    private static let pseudonymised = "pseudonymised"

    /// Decrypts what is encrypted, and returns the names.
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

    /// Decrypts an attribute where it is encrypted, and tells whether it was.
    private func decrypt(
        _ place: AttributePlace,
        _ text: Span<UInt8>,
        in row: inout RowEdits
    ) throws(FieldFault) -> Bool {
        let path = place.path.description
        // Written by an earlier run, with other keys perhaps.
        if let state = place.stateValue, state.kind == .string, let bytes = state.bytes(in: text) {
            let word = String(decoding: bytes, as: UTF8.self)
            if word == Self.pseudonymised { return false }
            if word == Self.decrypted {
                // In clear: whoever asked for hashes must not take it for one.
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

    /// Takes what was decrypted off the marking of what is encrypted.
    private func strike(
        _ decrypted: Set<MetadataAttribute>,
        _ places: AttributePlaces,
        _ text: Span<UInt8>,
        in row: inout RowEdits
    ) {
        guard let marking = row.members[encryptedName] else { return }
        var rest: [[UInt8]] = []
        if marking.kind == .array {
            let present = Set(places.attributes.map(\.name))
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
            for place in places.attributes where !decrypted.contains(place.name) {
                rest.append(JSONWriter.string(place.name.rawValue))
            }
        }
        guard !decrypted.isEmpty else { return }
        row.replace(
            marking.range,
            by: [UInt8(ascii: "[")] + rest.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
    }
}

private let encryptedName = Array("encrypted".utf8)

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

    /// What happened, without anything of the body: the description has names, and the service's words.
    private var reason: String {
        switch self {
        case .refused: "the service answered with an error"
        case .duplicateMember: "two members of one name, so the content is ambiguous"
        case .missing: "a member is missing; is this the response that was asked for?"
        case .wrongType(_, let expected): "not \(expected.rawValue)"
        case .badTimestamp(_, let fault): "not a time in milliseconds: \(fault)"
        case .tooLarge, .notJSON, .tooDeep: description
        }
    }
}
#endif
