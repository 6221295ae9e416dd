#if Service
import BrokerMessages
import ServiceResponses

extension DeviceInfo {
    /// The members that `openapi.yaml` describes as texts.
    private static let texts: [Key] = [
        .model, .version, .osName, .osVersion, .connectionType, .primaryHardwareType, .manufacturer,
    ]
    /// The members that it describes as whole numbers.
    private static let wholeNumbers: [Key] = [.displayWidth, .displayHeight]

    /// Refuses information of which a member has another type than `openapi.yaml` says.
    ///
    /// The broker would take such a device for an unknown one, and its sign-ins would end sooner, without a word about it.
    ///
    /// - Throws: `GatewayRefusal` with the status 400. It names the member only if it is a documented one.
    func requireMemberTypes() throws(GatewayRefusal) {
        for field in fields {
            let key = Key(field.name)
            if Self.texts.contains(key) {
                guard field.value.string != nil else {
                    throw .badRequest("deviceInfo: \(key.rawValue) is not a text")
                }
            } else if Self.wholeNumbers.contains(key) {
                guard Int64(field.value.text) != nil else {
                    throw .badRequest("deviceInfo: \(key.rawValue) is not a whole number")
                }
            } else if self[key] == nil {
                throw .badRequest("deviceInfo: a member is neither a text nor a number")
            }
        }
    }
}
#endif
