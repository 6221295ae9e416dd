public import EntitlementValues

/// The time in which an entitlement is good: from its first instant up to, but not including, its end.
///
/// Any two instants make a period. One that ends before it begins is never good, and one whose ends cannot be
/// milliseconds of our time is taken as it is. A ledger reports both; it never guesses that a value was meant in
/// another unit.
public struct EntitlementPeriod: Sendable, Hashable {
    /// The first good instant; `nil` if the server names none.
    public let notBefore: Timestamp?
    /// The end: at this instant the entitlement has expired.
    ///
    /// `nil` if the date could not be read, which counts as expired.
    public let notAfter: Timestamp?

    /// Takes both ends as they are.
    ///
    /// - Parameters:
    ///   - notBefore: The first good instant, if the server names one.
    ///   - notAfter: The end; `nil` if it could not be read.
    public init(notBefore: Timestamp? = nil, notAfter: Timestamp?) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// A period whose end could not be read: expired from the start.
    public static let unreadable = EntitlementPeriod(notAfter: nil)

    /// The instant that decides which of two grants is the newer: the beginning, if it is plausible.
    ///
    /// A period that is never good, or begins at an implausible instant, must not keep later grants out.
    var rank: Timestamp? {
        guard let notBefore, notBefore.isPlausible, notAfter.map({ notBefore < $0 }) ?? true else { return nil }
        return notBefore
    }

    /// Everything that a server cannot have intended.
    var faults: [PeriodFault] {
        var faults: [PeriodFault] = []
        if let notBefore, !notBefore.isPlausible { faults.append(.notMilliseconds(field: "notBefore", notBefore)) }
        if let notAfter, !notAfter.isPlausible { faults.append(.notMilliseconds(field: "notAfter", notAfter)) }
        if let notBefore, let notAfter, notAfter < notBefore { faults.append(.endsBeforeItBegins) }
        if notAfter == nil { faults.append(.unreadable) }
        return faults
    }
}
