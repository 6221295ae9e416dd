/// What the gateway wants the device to ask the sign-on partner of its system.
public enum PartnerQuestion: Sendable, Hashable {
    /// Let the viewer choose: mapping ids of the providers that are supported, and of those that come first.
    ///
    /// A viewer who was not asked for permission yet is asked for it first.
    case pick(channel: String, supported: [String], featured: [String])
    /// Let the partner confirm that the viewer is signed in.
    case confirm(channel: String, verificationToken: String, attributeNames: [String], mayInterrupt: Bool)

    /// Whether it is a choice of which there is nothing to choose.
    var isEmpty: Bool { if case .pick(_, let supported, _) = self { supported.isEmpty } else { false } }

    init?(_ answer: GatewayAnswer) {
        guard let channel = answer[text: "channel"] else { return nil }
        switch answer[text: "question"] {
        case "pick":
            self = .pick(channel: channel, supported: answer[texts: "supported"], featured: answer[texts: "featured"])
        case "confirm":
            guard let token = answer[text: "verificationToken"] else { return nil }
            self = .confirm(
                channel: channel, verificationToken: token, attributeNames: answer[texts: "attributeNames"],
                mayInterrupt: answer.body["allowsInterruption"]?.boolean ?? false)
        default: return nil
        }
    }
}

/// What the sign-on partner, or the viewer at its picker, has answered.
public enum PartnerReply: Sendable, Hashable {
    /// The viewer has chosen a provider that the partner signs in with, or none: the status says which.
    case status(PartnerStatus)
    /// The partner's answer to a verification token, as the framework gave it.
    case answer(PartnerStatus, response: String)
    /// The viewer has chosen a provider that the partner does not sign in with; its mapping id.
    case unsupported(mappingID: String)
    /// The viewer wants a provider that the partner does not list.
    case otherProvider
    /// The viewer has closed the picker.
    case cancelled

    /// What the partner says with it; `nil` if it says nothing of the account.
    var status: PartnerStatus? {
        switch self {
        case .status(let status), .answer(let status, _): status
        case .unsupported, .otherProvider, .cancelled: nil
        }
    }

    var members: [String: JSONValue?] {
        switch self {
        case .status(let status): ["status": status.json]
        case .answer(let status, let response): ["status": status.json, "response": .text(response)]
        case .unsupported(let id): ["unsupportedProvider": .text(id)]
        case .otherProvider: ["outcome": .text("other")]
        case .cancelled: ["outcome": .text("cancelled")]
        }
    }
}

extension PartnerReply: CustomStringConvertible, CustomReflectable {
    /// The words *reply of the partner*, not the reply.
    public var description: String { "reply of the partner" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
