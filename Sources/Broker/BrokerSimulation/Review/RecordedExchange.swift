#if Client
import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// A request and its answer as a recorder has them.
struct RecordedExchange: Sendable {
    var requested: Timestamp
    var answered: Timestamp
    var method: String
    /// The address as it was asked for; without scheme and host, that of the simulator.
    var address: WebAddress
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var status: Int
    var answerFields: [(name: String, value: String)] = []
    var answerBody: [UInt8] = []

    /// The whole request but for its header fields: method, address and body.
    var request: [UInt8] { Array("\(method) \(address.origin)\(address.path)?\(address.query)\n".utf8) + body }

    /// The value of a header field of the request, whose names are alike in upper and lower case.
    func field(_ name: String) -> String? { Self.value(of: name, in: fields) }

    /// The value of a header field of the answer.
    func answerField(_ name: String) -> String? { Self.value(of: name, in: answerFields) }

    private static func value(of name: String, in fields: [(name: String, value: String)]) -> String? {
        let name = name.lowercased()
        let field = fields.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }
        // White space around a value does not belong to it (RFC 9110 §5.5), but some recorders have it.
        return field?.value.withBytes { String(copying: $0.extracting($0.trimmingWhiteSpace(0..<$0.count))) }
    }
}

/// That an application or a browser opened an address.
struct ReviewedVisit: Sendable {
    let place: Pseudonym?
    let requested: Timestamp
    /// Where the answer sent the browser on to.
    let next: Pseudonym?
    let answered: Timestamp

    init(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        (requested, answered) = (exchange.requested, exchange.answered)
        place = try names.place(exchange.address)
        let location = 300..<400 ~= exchange.status ? exchange.answerField("location") : nil
        next = try names.place(location.map { WebAddress($0, from: exchange.address) })
    }
}
#endif
