#if Client
import BrokerMessages
import ServiceResponses
import TextCodecs

/// Masks the values of a JSON text.
struct JSONMask {
    private static let maximumLength = 4096
    private static let maximumValues = 2000
    private static let maximumName = 64
    /// Members whose values are times, states, or names that the broker's reference lists.
    private static let shown: Set<String> = [
        "action", "actionName", "actionType", "authorized", "created_at", "expires_in", "isTempPass", "mvpd",
        "notAfter",
        "notBefore", "reasonType", "serviceProvider", "source", "state", "status", "token_type", "type",
    ]
    /// Members that hold an error code in one body, and what a user types in, in another.
    private static let shownIfCode: Set<String> = ["code", "error"]

    /// Where a value is, as far as it matters for what is shown.
    fileprivate enum Place {
        case elsewhere
        /// The map of a profile's attributes.
        case attributes
        /// One attribute: a value and what is said of it.
        case attribute
        /// In the value of an attribute, where names and all values are data of the user.
        case value
    }

    private var text = ""

    /// Replaces values in JSON that are not known to be harmless by their length; `nil` if the body is not JSON.
    ///
    /// The text is cut off after 4096 bytes.
    static func masked(_ body: [UInt8]) -> String? {
        body.withSpan { bytes in
            guard bytes.isTextWithoutNUL,
                let node = try? JSONReader.node(of: bytes, in: 0..<bytes.count, maximumValues: maximumValues)
            else { return nil }
            var mask = JSONMask()
            mask.add(node, named: "", in: .elsewhere, of: bytes)
            return mask.text
        }
    }

    private mutating func add(_ node: JSONNode, named name: String, in place: Place, of bytes: Span<UInt8>) {
        guard text.utf8.count < Self.maximumLength else {
            if !text.hasSuffix("…") { text += "…" }
            return
        }
        switch node.value.kind {
        case .object:
            text += "{"
            for (index, member) in node.members.enumerated() {
                let name = member.name
                let shown =
                    place == .value
                    ? TraceMask.masked(name.utf8.count) : String(name.prefix(Self.maximumName)).printable
                text += (index == 0 ? "" : ",") + "\"\(shown)\":"
                add(member.node, named: name, in: place.below(name), of: bytes)
            }
            text += "}"
        case .array:
            text += "["
            for (index, element) in node.elements.enumerated() {
                if index > 0 { text += "," }
                // Elements have no name: what is in a list is masked, unless it is an object with names of its own.
                add(element, named: "", in: place, of: bytes)
            }
            text += "]"
        case .string: text += string(node.value, named: name, in: place, of: bytes)
        case .number, .boolean:
            text +=
                Self.shown.contains(name) && place.showsValues
                ? String(copying: bytes.extracting(node.value.range)) : "\"(…)\""
        case .null: text += "null"
        }
    }

    private func string(_ value: JSONValue, named name: String, in place: Place, of bytes: Span<UInt8>) -> String {
        let content = value.string(in: bytes) ?? ""
        let isShown =
            place.showsValues
            && ((Self.shown.contains(name) && content.utf8.count <= Self.maximumName)
                || (Self.shownIfCode.contains(name) && Self.isCode(content)))
        let shown = isShown ? content : TraceMask.masked(content.utf8.count)
        return String(decoding: JSONWriter.string(shown), as: UTF8.self)
    }

    private static func isCode(_ text: String) -> Bool {
        EnhancedErrorCode.documented.contains(EnhancedErrorCode(text))
            || RegistrationErrorCode.documented.contains(RegistrationErrorCode(text))
    }
}

extension JSONMask.Place {
    /// The place of an object's member.
    fileprivate func below(_ name: String) -> JSONMask.Place {
        switch self {
        case .elsewhere: name == "attributes" ? .attributes : .elsewhere
        case .attributes: .attribute
        case .attribute: name == "value" ? .value : .elsewhere
        case .value: .value
        }
    }

    /// Whether a value may be shown, if it has the right name: an attribute that is not an object is data, too.
    fileprivate var showsValues: Bool { self == .elsewhere }
}
#endif
