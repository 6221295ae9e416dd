#if Client
public import BrokerMessages

extension SessionOptions {
    /// Changes options by the dictionary of the operator's `setOptions`.
    ///
    /// The options `visitorID`, `applicationProfile` and `handleSVC` have their places here. `device_info` is what the
    /// device says of itself, in Base64, as JSON, or as a dictionary; hand what this returns to `setOptions(_:deviceInfo:)`. An option that
    /// is not in the dictionary stays as it is.
    ///
    /// - Parameter dictionary: The names and values.
    /// - Returns: What the device says of itself; `nil` if the dictionary does not have it.
    /// - Throws: `.unsupported(.handlingBrowser)` for `handleSVC: false`, `.unsupported(.unknownData)` for another
    ///   name, or a value of another type or form. Nothing has changed then.
    public mutating func adopt(
        legacyOptions dictionary: [String: LegacyValue]
    ) throws(EntitlementFlowError) -> DeviceInfo? {
        var changed = self
        var info: DeviceInfo?
        for (name, value) in dictionary {
            switch (name, value) {
            case ("visitorID", .text(let text)):
                guard let visitor = try? VisitorIdentifier(text) else { throw .unsupported(.unknownData) }
                changed.visitorIdentifier = visitor
            case ("applicationProfile", .text(let text)): changed.profile = text
            case ("handleSVC", .boolean(true)): changed.namesSystemBrowser = true
            case ("handleSVC", .boolean(false)): throw .unsupported(.handlingBrowser)
            case ("device_info", .text(let text)):
                guard let stated = (try? DeviceInfo(headerValue: text)) ?? (try? DeviceInfo(json: text)) else {
                    throw .unsupported(.unknownData)
                }
                info = stated
            case ("device_info", .dictionary):
                guard let stated = try? DeviceInfo(json: value.json) else { throw .unsupported(.unknownData) }
                info = stated
            default: throw .unsupported(.unknownData)
            }
        }
        self = changed
        return info
    }
}
#endif
