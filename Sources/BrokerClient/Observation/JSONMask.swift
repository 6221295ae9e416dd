#if Client
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
    ///
    /// Only error codes have an underscore.
    private static let shownIfCode: Set<String> = ["code", "error"]

    private var text = ""

    /// Masks a text.
    ///
    /// - Parameter body: The text.
    /// - Returns: JSON in which values that are not known to be harmless are replaced by their length; cut off after
    ///   4096 bytes. `nil` if the body is not JSON.
    static func masked(_ body: [UInt8]) -> String? {
        body.withSpan { bytes in
            guard bytes.isTextWithoutNUL,
                let node = try? JSONReader.node(of: bytes, in: 0..<bytes.count, maximumValues: maximumValues)
            else { return nil }
            var mask = JSONMask()
            mask.add(node, named: "", of: bytes)
            return mask.text
        }
    }

    private mutating func add(_ node: JSONNode, named name: String, of bytes: Span<UInt8>) {
        guard text.utf8.count < Self.maximumLength else {
            if !text.hasSuffix("…") { text += "…" }
            return
        }
        switch node.value.kind {
        case .object:
            text += "{"
            for (index, member) in node.members.enumerated() {
                let name = String(decoding: member.name, as: UTF8.self)
                text += (index == 0 ? "" : ",") + "\"\(String(name.prefix(Self.maximumName)).printable)\":"
                add(member.node, named: name, of: bytes)
            }
            text += "}"
        case .array:
            text += "["
            for (index, element) in node.elements.enumerated() {
                if index > 0 { text += "," }
                // Elements have no name: what is in a list is masked, unless it is an object with names of its own.
                add(element, named: "", of: bytes)
            }
            text += "]"
        case .string: text += string(node.value, named: name, of: bytes)
        case .number, .boolean:
            text += Self.shown.contains(name) ? String(copying: bytes.extracting(node.value.range)) : "\"(…)\""
        case .null: text += "null"
        }
    }

    private func string(_ value: JSONValue, named name: String, of bytes: Span<UInt8>) -> String {
        let content = value.string(in: bytes) ?? ""
        let isShown =
            (Self.shown.contains(name) && content.utf8.count <= Self.maximumName)
            || (Self.shownIfCode.contains(name) && content.contains("_") && content.shownIfPlain == content)
        let shown = isShown ? content : TraceMask.masked(content.utf8.count)
        return String(decoding: JSONWriter.string(shown), as: UTF8.self)
    }
}
#endif
