import EntitlementValues
import TextCodecs

/// One element of a test token: its name, and its content as XML.
struct XMLElement {
    var name: String
    var content: String
}

/// Writes the signed text of a test token.
enum SignedText {
    static func text(_ elements: [XMLElement], layout: TestTokenLayout) -> String {
        let separator = layout.isPrettyPrinted ? "\n  " : ""
        let end = layout.isPrettyPrinted ? "\n" : ""
        let body = elements.map { "\(separator)<\($0.name)>\($0.content)</\($0.name)>" }.joined()
        return "<\(layout.root.rawValue)>\(body)\(end)</\(layout.root.rawValue)>"
    }

    /// A text as XML: a text with markup becomes a CDATA section as on the wire, any other text is escaped.
    static func content(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return escaped(text) }
        return "<![CDATA[" + replacing("]]>", in: text, with: "]]]]>><![CDATA[") + "]]>"
    }

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }

    /// Replaces a part of a text, compared as bytes: a combining mark after it would hide it from `Character`.
    static func replacing(_ part: String, in text: String, with replacement: String) -> String {
        let part = Array(part.utf8)
        var rest = Array(text.utf8)[...]
        var result: [UInt8] = []
        while let first = rest.first {
            if rest.starts(with: part) {
                result += replacement.utf8
                rest = rest.dropFirst(part.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension TestTokenClaims {
    /// The elements in the order of the wire.
    var elements: [XMLElement] {
        var elements = [
            XMLElement(name: "sessionGUID", content: SignedText.content(sessionGUID.rawValue)),
            XMLElement(name: "requestorID", content: SignedText.content(requestor.rawValue)),
            XMLElement(name: "resourceID", content: SignedText.content(resource.rawValue)),
            XMLElement(name: "ttl", content: SignedText.escaped(ttlText ?? String(ttl.milliseconds))),
            XMLElement(name: "issueTime", content: SignedText.escaped(issueTimeText ?? wireIssueTime)),
            XMLElement(name: "mvpdId", content: SignedText.content(mvpd.rawValue)),
        ]
        if let proxyMVPD {
            elements.append(XMLElement(name: "proxyMvpdId", content: SignedText.content(proxyMVPD.rawValue)))
        }
        return elements + furtherElements.map { XMLElement(name: $0.name, content: SignedText.content($0.text)) }
    }

    /// `yyyy-MM-dd HH:mm:ss ±hhmm`.
    private var wireIssueTime: String {
        guard let date = CivilDate(of: issued + .minutes(Int64(zoneOffset))) else { return "" }
        let clock = date.secondOfDay
        let day = "\(date.year.zeroPadded(to: 4))-\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))"
        let time = [clock / 3600, clock / 60 % 60, clock % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        let minutes = abs(zoneOffset)
        let zone = "\(zoneOffset < 0 ? "-" : "+")\((minutes / 60).zeroPadded(to: 2))\((minutes % 60).zeroPadded(to: 2))"
        return "\(day) \(time) \(zone)"
    }
}
