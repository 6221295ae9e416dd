public import EntitlementValues

/// Bounds the time in which an entitlement is good: from the first instant on, up to and without the last.
///
/// Any two instants make a period. One that ends before it begins is never good, and one whose ends cannot be
/// milliseconds of our time is taken as it is: a ledger reports both, and no value is guessed into another unit.
public struct EntitlementPeriod: Sendable, Hashable {
    /// The first good instant, where the server names one.
    public let notBefore: Timestamp?
    /// The end: at this instant the entitlement has expired.
    ///
    /// `nil` where the date could not be read, which counts as expired.
    public let notAfter: Timestamp?

    /// Takes both ends; an end of `nil` is one that could not be read.
    public init(notBefore: Timestamp? = nil, notAfter: Timestamp?) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// A period whose end could not be read: expired from the start.
    public static let unreadable = EntitlementPeriod(notAfter: nil)

    /// What tells which of two grants is the newer: when it begins, where that can be believed.
    ///
    /// A period that is never good, or begins at an instant that nobody can mean, must not keep later grants out.
    var rank: Timestamp? {
        guard let notBefore, notBefore.isPlausible, notAfter.map({ notBefore < $0 }) ?? true else { return nil }
        return notBefore
    }

    /// What no server can mean.
    var faults: [PeriodFault] {
        var faults: [PeriodFault] = []
        if let notBefore, !notBefore.isPlausible { faults.append(.notMilliseconds(field: "notBefore", notBefore)) }
        if let notAfter, !notAfter.isPlausible { faults.append(.notMilliseconds(field: "notAfter", notAfter)) }
        if let notBefore, let notAfter, notAfter < notBefore { faults.append(.endsBeforeItBegins) }
        if notAfter == nil { faults.append(.unreadable) }
        return faults
    }
}

/// Says what is odd about a period that was recorded.
@nonexhaustive
public enum PeriodFault: Sendable, Hashable {
    /// The value cannot be milliseconds since 1970: it would lie before March 1973 or behind the year 9999.
    ///
    /// Seconds of our time look like that, and microseconds.
    case notMilliseconds(field: String, Timestamp)
    /// The period ends before it begins: it is never good.
    case endsBeforeItBegins
    /// The end could not be read: it counts as expired.
    case unreadable

    /// The stable name of the fault.
    public var code: String {
        switch self {
        case .notMilliseconds: "not_milliseconds"
        case .endsBeforeItBegins: "ends_before_it_begins"
        case .unreadable: "unreadable_date"
        }
    }
}

extension PeriodFault: CustomStringConvertible {
    /// One line for logs.
    public var description: String {
        switch self {
        case .notMilliseconds(let field, let value):
            "\(field) is \(value.milliseconds), which cannot be milliseconds since 1970; seconds, perhaps"
        case .endsBeforeItBegins: "notAfter lies before notBefore, so it is never good"
        case .unreadable: "the expiry could not be read, so it counts as expired"
        }
    }
}
