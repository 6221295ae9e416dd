#if Service
import EntitlementValues
import ServiceResponses
package import TextCodecs

// How a device's sign-ins are written into its record, as JSON.

extension DeviceSignIns {
    /// Writes the members of their object.
    package func write(to object: inout JSONWriter) {
        object.member("current", current)
        object.member("last", last)
        if let open { object.member("open", object: open.write) }
        if let proved { object.member("proved", object: proved.write) }
        if !overtaken.isEmpty { object.member("overtaken", objects: overtaken) { $0.write(to: &$1) } }
        if !playing.isEmpty { object.member("playing", objects: playing) { $0.write(to: &$1) } }
        if signOuts > 0 { object.member("signOuts", signOuts) }
        if !spent.isEmpty { object.member("spent", objects: spent) { $0.write(to: &$1) } }
        if let end { object.member("end", end.rawValue) }
        if let logout { object.member("logout", object: logout.write) }
    }

    /// Reads what ``write(to:)`` wrote, in the text of the whole record.
    package init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            current: try object.requiredInteger("current", in: text),
            last: try object.requiredInteger("last", in: text),
            open: try object.part("open", in: text, reading: OpenSignIn.init),
            proved: try object.part("proved", in: text, reading: ProvedSignIn.init),
            overtaken: try object.parts("overtaken", in: text, reading: ProvedSignIn.init),
            playing: try object.parts("playing", in: text, reading: NotedPlay.init),
            signOuts: try object.integer("signOuts", in: text) ?? 0,
            spent: try object.parts("spent", in: text, reading: SpentSignIn.init),
            end: try object.string("end", in: text).flatMap(SignInEnd.init),
            logout: try object.part("logout", in: text, reading: OpenLogout.init))
    }
}

extension OpenSignIn {
    fileprivate func write(to object: inout JSONWriter) {
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
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        guard let kind = Kind(rawValue: try object.requiredIdentifier("kind", in: text)) else {
            throw JSONFault(.wrongType(.identifier), at: object.location + "kind", "is not a kind of sign-in")
        }
        self.init(
            number: try object.requiredInteger("number", in: text), kind: kind,
            state: try object.requiredIdentifier("state", in: text),
            begun: try object.requiredInstant("begun", in: text),
            until: try object.requiredInstant("until", in: text), returnTo: try object.string("returnTo", in: text))
        mvpd = try object.string("mvpd", in: text).map { MVPDID($0) }
        if object.contains("returned") { phase = .returned(at: try object.requiredInstant("returned", in: text)) }
        if object.contains("proven") { phase = .proven(at: try object.requiredInstant("proven", in: text)) }
        activationCode = try object.string("activationCode", in: text)
        deviceName = try object.string("deviceName", in: text)
        mark = try object.string("mark", in: text)
        proof = try object.string("proof", in: text)
        isThere = try object.boolean("there", in: text)
    }
}

extension SpentSignIn {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("number", number)
        object.member("state", state)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("until", until.milliseconds)
        if !plays.isEmpty { object.member("plays", objects: plays) { $0.write(to: &$1) } }
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            number: try object.requiredInteger("number", in: text),
            state: try object.requiredIdentifier("state", in: text),
            mvpd: try object.string("mvpd", in: text).map { MVPDID($0) },
            until: try object.requiredInstant("until", in: text),
            plays: try object.parts("plays", in: text, reading: NotedPlay.init))
    }
}

extension NotedPlay {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("session", session)
        object.member("until", until.milliseconds)
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            session: try object.requiredIdentifier("session", in: text),
            until: try object.requiredInstant("until", in: text))
    }
}

extension ProvedSignIn {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("number", number)
        object.member("state", state)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("returnTo", ifPresent: returnTo)
        object.member("mark", ifPresent: mark)
        object.member("proof", ifPresent: proof)
        object.member("at", at.milliseconds)
        if !plays.isEmpty { object.member("plays", objects: plays) { $0.write(to: &$1) } }
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            number: try object.requiredInteger("number", in: text),
            state: try object.requiredIdentifier("state", in: text),
            mvpd: try object.string("mvpd", in: text).map { MVPDID($0) },
            returnTo: try object.string("returnTo", in: text), mark: try object.string("mark", in: text),
            proof: try object.string("proof", in: text), at: try object.requiredInstant("at", in: text))
        plays = try object.parts("plays", in: text, reading: NotedPlay.init)
    }
}

extension OpenLogout {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("state", state)
        object.member("returnTo", ifPresent: returnTo)
        object.member("until", until.milliseconds)
        if pages > 1 { object.member("pages", pages) }
    }

    fileprivate init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        self.init(
            state: try object.requiredIdentifier("state", in: text), returnTo: try object.string("returnTo", in: text),
            until: try object.requiredInstant("until", in: text), pages: try object.integer("pages", in: text) ?? 1)
    }
}
#endif
