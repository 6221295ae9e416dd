#if Client
public import EntitlementValues
import TextCodecs

extension MetadataAnswer {
    /// The value as the operator's library handed it over: a text, or what the attribute's JSON says.
    ///
    /// ``LegacyValue/null`` if there is none; that is not an error, and the library told none.
    public var legacyValue: LegacyValue {
        switch value {
        case nil: .null
        case .instant(let instant): .text(instant.legacyExpiry)
        case .text(let text): .text(text)
        case .json(let json): LegacyValue(json: json) ?? .text(json)
        }
    }

    /// `setMetadataStatus:encrypted:forKey:andArguments:`.
    var callback: LegacyCallback {
        LegacyCallback(
            "setMetadataStatus:encrypted:forKey:andArguments:", legacyValue, .boolean(isEncrypted),
            .integer(question.legacyNumber), question.legacyArguments)
    }
}

extension Timestamp {
    /// The instant as AuthN and AuthZ tokens state their end: `yyyy/MM/dd HH:mm:ss GMT Z`.
    ///
    /// The time is that of UTC, and the offset says so: `2026/11/22 21:15:00 GMT +0000`. Milliseconds are cut off. The
    /// letters *GMT* never counted, the offset did. An instant outside the years 1 to 9999 is an empty text, which old
    /// code takes for the end of validity.
    public var legacyExpiry: String {
        guard let date = CivilDate(of: self) else { return "" }
        let second = date.secondOfDay
        let day = "\(date.year.zeroPadded(to: 4))/\(date.month.zeroPadded(to: 2))/\(date.day.zeroPadded(to: 2))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        return "\(day) \(time) GMT +0000"
    }
}
#endif
