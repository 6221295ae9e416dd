public import EntitlementValues
package import TextCodecs

/// The answer of `logout`: what is left to do for each provider.
///
/// The broker has deleted the profiles already.
public struct LogoutResponse: ServiceResponse, Hashable {
    /// The steps, one for each provider, in the order of the body.
    public let logouts: [LogoutStep]
    /// Errors of the steps that could not be read and are not in `logouts`.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent, with steps each of another provider: the body is a map by provider.
    package init(logouts: [LogoutStep], unknownFields: [JSONField] = []) {
        (self.logouts, self.unknownFields) = (logouts, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `logouts`, has more than `ResponseLimits`
    ///   allow, or is the broker's error object. An error in one step is not thrown; it is in `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let node = body.take("logouts") else { throw body.refusal(bytes, missing: "logouts") }
        let path = body.path + "logouts"
        try node.requireObject(at: path)
        try ResponseLimits.check(node.members.count, at: path)
        var logouts: [LogoutStep] = []
        var faults = ResponseFaults()
        for member in node.members {
            let mvpd = member.name
            do throws(ServiceResponseError) {
                logouts.append(try LogoutStep(member.node, key: mvpd, at: path + mvpd, in: bytes))
            } catch {
                faults.append(error)
            }
        }
        self.logouts = logouts
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension LogoutResponse: CustomStringConvertible {
    /// The steps and faults, without addresses.
    public var description: String {
        (logouts.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}

extension LogoutResponse: EncodableResponse {
    package var object: JSONWriter {
        var map = JSONWriter()
        for step in logouts { map.member(step.key.rawValue, step.object) }
        var object = JSONWriter()
        object.member("logouts", map)
        object.members(unknownFields)
        return object
    }
}

/// What is left to do to log a user out at one provider.
public struct LogoutStep: Sendable, Hashable {
    /// The provider that the broker lists the step under.
    public let key: MVPDID
    /// The provider that the step names.
    ///
    /// It is usually the ``key``; samples of the broker's reference also show another.
    public let mvpd: MVPDID?
    /// What to do.
    public let actionName: LogoutAction
    /// How it is done.
    public let actionType: ActionType
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]
    private let redactedURL: Redacted<String>?

    /// Where the browser logs out: absolute, or relative to the broker's address; `nil` if there is nothing to open.
    ///
    /// It may hold the provider's session, so descriptions and mirrors do not show it.
    public var url: String? { redactedURL?.value }

    /// Makes a step to be sent; without a provider of its own, it names the key's.
    package init(
        key: MVPDID,
        mvpd: MVPDID? = nil,
        actionName: LogoutAction,
        actionType: ActionType,
        url: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.key, self.mvpd) = (key, mvpd ?? key)
        (self.actionName, self.actionType) = (actionName, actionType)
        (redactedURL, self.unknownFields) = (url.map { Redacted($0) }, unknownFields)
    }

    init(
        _ node: JSONNode,
        key: String,
        at path: JSONLocation,
        in text: Span<UInt8>
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        self.key = MVPDID(key)
        mvpd = try object.takeIdentifier("mvpd", text).map(MVPDID.init)
        actionName = LogoutAction(try object.requireIdentifier("actionName", text))
        actionType = ActionType(try object.requireIdentifier("actionType", text))
        redactedURL = try object.takeText("url", text).map { Redacted($0) }
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("actionName", actionName.rawValue)
        object.member("actionType", actionType.rawValue)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("url", ifPresent: url)
        object.members(unknownFields)
        return object
    }
}

extension LogoutStep: CustomStringConvertible {
    /// The provider and what to do, without the address.
    public var description: String {
        "\(key.rawValue.printable): \(actionName.rawValue.printable)/\(actionType.rawValue.printable)"
    }
}

/// What is left to do to log a user out, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct LogoutAction: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes an action from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Let the browser log out at the provider.
    public static let logout: LogoutAction = "logout"
    /// Tell the user to sign out in the settings of the device.
    public static let partnerLogout: LogoutAction = "partner_logout"
    /// Nothing is left to do.
    public static let complete: LogoutAction = "complete"
    /// The user was not signed in.
    public static let invalid: LogoutAction = "invalid"
}
