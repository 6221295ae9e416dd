public import EntitlementValues
import TextCodecs

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
