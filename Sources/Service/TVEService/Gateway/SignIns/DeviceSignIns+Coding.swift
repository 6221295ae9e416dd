#if Service
import EntitlementValues
import ServiceResponses
package import TextCodecs

// How a device's sign-ins are written into its record, as JSON.

extension DeviceSignIns {
    /// The JSON object.
    package var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("current", current)
        object.member("last", last)
        if let open { object.member("open", open.object) }
        if let proved { object.member("proved", proved.object) }
        if !overtaken.isEmpty { object.member("overtaken", overtaken.map(\.object)) }
        if !playing.isEmpty { object.member("playing", playing.map(\.object)) }
        if signOuts > 0 { object.member("signOuts", signOuts) }
        if !spent.isEmpty { object.member("spent", spent.map(\.object)) }
        if let end { object.member("end", end.rawValue) }
        if let logout { object.member("logout", logout.object) }
        return object
    }

    /// Reads what ``object`` wrote, in the text of the whole record.
    package init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            current: try object.number("current", in: text), last: try object.number("last", in: text),
            open: try object.part("open", in: text, reading: OpenSignIn.init),
            proved: try object.part("proved", in: text, reading: ProvedSignIn.init),
            overtaken: object.contains("overtaken")
                ? try object.objects("overtaken", in: text).map { part throws(JSONFault) in
                    try ProvedSignIn(part, in: text)
                } : [],
            playing: try object.plays("playing", in: text), signOuts: try object.integer("signOuts", in: text) ?? 0,
            spent: object.contains("spent")
                ? try object.objects("spent", in: text).map { part throws(JSONFault) in
                    try SpentSignIn(part, in: text)
                } : [],
            end: try object.string("end", in: text).flatMap(SignInEnd.init),
            logout: try object.part("logout", in: text, reading: OpenLogout.init))
    }
}

extension OpenSignIn {
    fileprivate var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("number", number)
        object.member("kind", kind.rawValue)
        object.member("state", state)
        object.member("begun", begun.milliseconds)
        object.member("until", until.milliseconds)
        object.member("returnTo", ifPresent: returnTo)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        switch phase {
        case .away: break
        case .returned(let at): object.member("returned", at.milliseconds)
        case .proven(let at): object.member("proven", at.milliseconds)
        }
        object.member("activationCode", ifPresent: activationCode)
        object.member("deviceName", ifPresent: deviceName)
        object.member("mark", ifPresent: mark)
        object.member("proof", ifPresent: proof)
        if let isThere { object.member("there", isThere) }
        return object
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        guard let kind = Kind(rawValue: try object.requiredIdentifier("kind", in: text)) else {
            throw JSONFault(.wrongType(.identifier), at: object.location + "kind", "is not a kind of sign-in")
        }
        self.init(
            number: try object.number("number", in: text), kind: kind,
            state: try object.requiredIdentifier("state", in: text), begun: try object.instant("begun", in: text),
            until: try object.instant("until", in: text), returnTo: try object.string("returnTo", in: text))
        mvpd = try object.string("mvpd", in: text).map { MVPDID($0) }
        if object.contains("returned") { phase = .returned(at: try object.instant("returned", in: text)) }
        if object.contains("proven") { phase = .proven(at: try object.instant("proven", in: text)) }
        activationCode = try object.string("activationCode", in: text)
        deviceName = try object.string("deviceName", in: text)
        mark = try object.string("mark", in: text)
        proof = try object.string("proof", in: text)
        isThere = try object.boolean("there", in: text)
    }
}

extension SpentSignIn {
    fileprivate var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("number", number)
        object.member("state", state)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("until", until.milliseconds)
        if !plays.isEmpty { object.member("plays", plays.map(\.object)) }
        return object
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            number: try object.number("number", in: text), state: try object.requiredIdentifier("state", in: text),
            mvpd: try object.string("mvpd", in: text).map { MVPDID($0) }, until: try object.instant("until", in: text),
            plays: try object.plays("plays", in: text))
    }
}

extension NotedPlay {
    fileprivate var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("session", session)
        object.member("until", until.milliseconds)
        return object
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            session: try object.requiredIdentifier("session", in: text), until: try object.instant("until", in: text))
    }
}

extension ProvedSignIn {
    fileprivate var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("number", number)
        object.member("state", state)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("returnTo", ifPresent: returnTo)
        object.member("mark", ifPresent: mark)
        object.member("proof", ifPresent: proof)
        object.member("at", at.milliseconds)
        if !plays.isEmpty { object.member("plays", plays.map(\.object)) }
        return object
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            number: try object.number("number", in: text), state: try object.requiredIdentifier("state", in: text),
            mvpd: try object.string("mvpd", in: text).map { MVPDID($0) },
            returnTo: try object.string("returnTo", in: text), mark: try object.string("mark", in: text),
            proof: try object.string("proof", in: text), at: try object.instant("at", in: text))
        plays = try object.plays("plays", in: text)
    }
}

extension OpenLogout {
    fileprivate var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("state", state)
        object.member("returnTo", ifPresent: returnTo)
        object.member("until", until.milliseconds)
        if pages > 1 { object.member("pages", pages) }
        return object
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            state: try object.requiredIdentifier("state", in: text), returnTo: try object.string("returnTo", in: text),
            until: try object.instant("until", in: text), pages: try object.integer("pages", in: text) ?? 1)
    }
}

extension JSONObject {
    /// A member that is a whole number, and must be there.
    func number(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Int64 {
        try required(name, try integer(name, in: text))
    }

    /// A member that is an instant in milliseconds, and must be there.
    func instant(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Timestamp {
        Timestamp(milliseconds: try number(name, in: text))
    }

    /// The plays that are noted; none if the member is absent.
    fileprivate func plays(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> [NotedPlay] {
        guard contains(name) else { return [] }
        return try objects(name, in: text).map { part throws(JSONFault) in try NotedPlay(part, in: text) }
    }

    /// A member that is an object; `nil` if it is absent.
    func part<Value>(
        _ name: String,
        in text: Span<UInt8>,
        reading read: (JSONObject, Span<UInt8>) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value? {
        guard let value = node(name)?.value else { return nil }
        return try read(try JSONObject(text, in: value.range, at: location + name), text)
    }
}
#endif
