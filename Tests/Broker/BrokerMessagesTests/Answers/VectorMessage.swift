import BrokerMessages
import EntitlementValues
import ServiceResponses
import TestVectors

/// A message with its content in the form of the vectors, and with what the other tests of all messages need.
protocol VectorMessage: EncodableResponse {
    /// Makes a random message.
    static func made(by noise: inout Noise) throws -> Self
    /// A body in which something is secret.
    static var bodyWithSecrets: String { get }

    var content: Normalised { get }
    var listedFaults: [ServiceResponseError] { get }
    var totalFaults: Int { get }
}

// Errors and some answers of registration have no parts that could be left out.
extension VectorMessage {
    var totalFaults: Int { listedFaults.count }
}

extension Normalised {
    init(_ instant: Timestamp) { self = .integer(instant.milliseconds) }

    /// The members, and the unknown ones by name and JSON text.
    static func message(_ members: [String: Normalised?], _ unknown: [JSONField]) -> Normalised {
        var members = members
        if !unknown.isEmpty {
            members["other"] = .object(
                unknown.reduce(into: [:]) { object, field in
                    object[Array(field.name.utf8)] = .text(field.value.text)
                })
        }
        return .object(members)
    }

    static func texts(_ texts: [String]) -> Normalised { .list(texts.map { .text($0) }) }
}

extension String {
    var content: Normalised { .text(self) }
}

extension Bool {
    var content: Normalised { .boolean(self) }
}

extension Int64 {
    var content: Normalised { .integer(self) }
}

extension Timestamp {
    var content: Normalised { Normalised(self) }
}

extension EntitlementIdentifier {
    var content: Normalised { .text(rawValue) }
}
