import Foundation

/// What an app keeps of its device between its starts.
struct DeviceState: Codable, Sendable, Hashable {
    /// The gateway that gave the token; another one does not take it.
    var gateway: String
    /// The device's token, which opens all that the device may do.
    var token: String
    /// When the token ends, in milliseconds since the Unix epoch.
    var expires: Int64
    /// The provider that the viewer chose last, so that it can be named without a request.
    var provider: MVPD?
    /// What is known of the viewer, so that it can be told without a connection; `nil` if it is not known.
    var viewer: Viewer?
    /// The digest of what the gateway was told of the device; `nil` if that is not known.
    var told: String?
    /// Whether a logout could not be told to the gateway; it is told before anything else.
    var owesLogout = false

    init(gateway: String, token: String, expires: Int64) {
        (self.gateway, self.token, self.expires) = (gateway, token, expires)
    }
}

extension DeviceState: CustomStringConvertible, CustomReflectable {
    /// The words *state of a device*, not the state.
    var description: String { "state of a device" }

    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}
