import EntitlementValues
import TextCodecs

// What the answers about sessions have in common.

extension BodyObject {
    /// The names of missing parameters, in `missingParameters` or in `missing`; empty if there are neither.
    mutating func takeMissingParameters(
        _ text: Span<UInt8>,
        faults: inout ResponseFaults
    ) throws(ServiceResponseError) -> [MissingParameter] {
        if let names = try takeTexts("missingParameters", text, faults: &faults) {
            return names.map(MissingParameter.init)
        }
        return try takeTexts("missing", text, faults: &faults)?.map(MissingParameter.init) ?? []
    }
}

extension JSONWriter {
    /// Adds the names of missing parameters, if there are any.
    mutating func member(_ name: String, _ parameters: [MissingParameter]) {
        guard !parameters.isEmpty else { return }
        member(name, raw: JSONText(strings: parameters.map(\.rawValue)).text.utf8)
    }

    /// Adds an instant as a string of digits, as answers about sessions have it, if there is one.
    mutating func member(_ name: String, digitsOf instant: Timestamp?) {
        if let instant { member(name, String(instant.milliseconds)) }
    }
}
