#if Client
import EntitlementValues
import TextCodecs

extension SimulatorSite {
    /// The simulation's time, and how it differs from the real one.
    var clock: Reply {
        let clock = simulator.clock
        var object = JSONWriter()
        object.member("time", simulator.now.milliseconds)
        object.member("offset", clock.offset.milliseconds)
        object.member("isFrozen", clock.frozen != nil)
        object.member("issueTimeOffset", clock.issueTimeOffset.milliseconds)
        return .control(object)
    }

    /// `POST /sim/clock`: one or several of `set`, `offset`, `advance`, `freeze` and `issueTimeOffset`.
    ///
    /// They are carried out in this order. Lengths are milliseconds; `set` is RFC 3339 or milliseconds since 1970.
    func changeClock(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let change = try visit.read(["set", "offset", "advance", "freeze", "issueTimeOffset"]) {
            (object, text) throws(JSONFault) in try ClockChange(object, text)
        }
        if let instant = change.instant { simulator.setClock(to: instant) }
        if let offset = change.offset { simulator.setClockOffset(offset) }
        if let step = change.step { simulator.advanceClock(by: step) }
        if let isFrozen = change.isFrozen { simulator.freezeClock(isFrozen) }
        if let offset = change.issueTimeOffset { simulator.setIssueTimeOffset(offset) }
        return clock
    }
}

/// What a call asks of the clock.
private struct ClockChange {
    var instant: Timestamp?
    var offset: TimeToLive?
    var step: TimeToLive?
    var isFrozen: Bool?
    var issueTimeOffset: TimeToLive?

    /// The years 1900 to 2200: tokens and certificates have no others.
    private static let instants =
        Timestamp(
            milliseconds: -2_208_988_800_000)...Timestamp(
            milliseconds: 7_258_118_400_000)
    /// A hundred years.
    private static let longest: Int64 = 3_155_760_000_000

    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        if let node = object.node("set") {
            let found =
                node.value.kind == .string
                ? Timestamp(try object.requiredIdentifier("set", in: text))
                : try object.integer("set", in: text).map { Timestamp(milliseconds: $0) }
            guard let found, Self.instants.contains(found) else {
                throw JSONFault(.notAllowed, at: object.location + "set", "is not an instant from 1900 to 2200")
            }
            instant = found
        }
        offset = try Self.length("offset", object, text)
        step = try Self.length("advance", object, text)
        isFrozen = try object.boolean("freeze", in: text)
        issueTimeOffset = try Self.length("issueTimeOffset", object, text)
    }

    private static func length(
        _ name: String,
        _ object: JSONObject,
        _ text: Span<UInt8>
    ) throws(JSONFault) -> TimeToLive? {
        guard let length = try object.length(name, text) else { return nil }
        guard (-longest...longest).contains(length.milliseconds) else {
            throw JSONFault(.notAllowed, at: object.location + name, "is longer than a hundred years")
        }
        return length
    }
}
#endif
