/// The next step on the way to a viewer who is signed in.
public enum SignInStep: Sendable, Hashable {
    /// The viewer is signed in; until when, in milliseconds since the Unix epoch, if that is known.
    case authenticated(mvpd: String, until: Int64?)
    /// The viewer chooses a provider.
    case choose([MVPD], remembered: String?)
    /// The viewer's browser opens an address.
    case open(BrowserVisit)
    /// The device shows a code, and the viewer types it on another screen.
    case code(ActivationCode)
    /// The device's system is asked.
    case partner(PartnerQuestion)
    /// Promotional temporary access needs an identity of the viewer.
    case identity(mvpd: String)
    /// Nothing is left to do: the viewer is not signed in.
    case notAuthenticated

    /// Reads an answer; `nil` if it is not a step that this release knows.
    public init?(_ answer: GatewayAnswer) {
        switch answer.code {
        case "authenticated":
            guard let mvpd = answer[text: "mvpd"] else { return nil }
            self = .authenticated(mvpd: mvpd, until: answer[instant: "until"])
        case "choose": self = .choose(MVPD.list(answer.body["providers"]), remembered: answer[text: "remembered"])
        case "open":
            guard let visit = BrowserVisit(answer.body) else { return nil }
            self = .open(visit)
        case "code":
            guard let code = ActivationCode(answer) else { return nil }
            self = .code(code)
        case "partner":
            guard let question = PartnerQuestion(answer) else { return nil }
            self = .partner(question)
        case "identity":
            guard let mvpd = answer[text: "mvpd"] else { return nil }
            self = .identity(mvpd: mvpd)
        case "not_authenticated": self = .notAuthenticated
        default: return nil
        }
    }
}

/// An address that the viewer's browser opens.
public struct BrowserVisit: Sendable, Hashable {
    /// The address; it may hold a code, so do not log it.
    public let url: String
    /// Whether it is that of a logout rather than of a login.
    public let isLogout: Bool
    /// Whether the system's browser has to be taken, because providers refuse others.
    public let usesSystemBrowser: Bool

    init?(_ members: [String: JSONValue]) {
        guard let url = members["url"]?.text else { return nil }
        self.url = url
        isLogout = members["purpose"]?.text == "logout"
        usesSystemBrowser = members["systemBrowser"]?.boolean ?? false
    }
}

/// A code that the viewer types on another screen.
public struct ActivationCode: Sendable, Hashable {
    /// The code.
    public let text: String
    /// Where to type it.
    public let address: String
    /// The address with the code in it, for a picture to scan.
    public let completeAddress: String?
    /// When the code ends, in milliseconds since the Unix epoch.
    public let until: Int64

    init?(_ answer: GatewayAnswer) {
        guard let text = answer[text: "activationCode"], let address = answer[text: "activationURL"],
            let until = answer[instant: "until"]
        else { return nil }
        (self.text, self.address, self.until) = (text, address, until)
        completeAddress = answer[text: "activationURLComplete"]
    }
}

extension BrowserVisit: CustomStringConvertible, CustomReflectable {
    /// What the address is for, not the address.
    public var description: String { isLogout ? "address of a logout" : "address of a login" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ActivationCode: CustomStringConvertible, CustomReflectable {
    /// The words *activation code*, not the code.
    public var description: String { "activation code" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
