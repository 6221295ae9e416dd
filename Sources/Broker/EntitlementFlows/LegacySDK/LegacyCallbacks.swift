#if Client
import BrokerMessages
import DeviceRecords
import EntitlementValues
public import ServiceResponses
public import TextCodecs

/// A callback of the operator's library: the selector of its delegate, and the arguments in their order.
///
/// A server has no delegate. It can hand these to an app, which calls the code that it has. Arguments may be tokens,
/// addresses and codes, so descriptions and mirrors show the selector alone.
///
/// Source: the operator's reference of its library for iOS and tvOS.
public struct LegacyCallback: Sendable, Hashable {
    /// The selector, for example `setToken:forResource:`.
    public let selector: String
    /// The arguments, one for each colon of the selector.
    public let arguments: [JSON]

    /// Describes a callback.
    ///
    /// - Parameters:
    ///   - selector: The selector.
    ///   - arguments: The arguments, one for each colon of the selector.
    public init(_ selector: String, _ arguments: JSON...) {
        (self.selector, self.arguments) = (selector, arguments)
    }

    /// The first part of the selector, by which people call the callback: `setToken`.
    public var name: String {
        String(selector.prefix { $0 != ":" })
    }

    /// The callback as a JSON object with `selector` and `arguments`, on one line.
    public var json: String {
        let object: JSON = ["arguments": .array(arguments), "selector": .string(selector)]
        return object.json
    }
}

extension LegacyCallback: CustomStringConvertible, CustomReflectable {
    /// The selector.
    public var description: String { selector }

    /// A mirror of the selector.
    public var customMirror: Mirror { Mirror(self, children: ["selector": selector]) }
}

extension SessionEvent {
    /// What the operator's library would have called of its delegate, in order.
    ///
    /// Empty for what the library did not tell: lost events. The second question to a partner it put to the partner's
    /// framework by itself; here it is `confirmTvProvider:`, a selector of this library's own, since a sign-on with the
    /// partner could not end without it.
    ///
    /// - Parameter namesBrowser: Whether `handleSVC` was set, so that `navigateToUrl:useSVC:` takes the place of
    ///   `navigateToUrl:` if the system's browser is to be taken.
    /// - Returns: The callbacks.
    public func callbacks(namingBrowser namesBrowser: Bool = false) -> [LegacyCallback] {
        switch self {
        case .requestorComplete(let isComplete): [LegacyCallback("setRequestorComplete:", .status(isComplete))]
        case .authenticationStatus(let result): [result.callback]
        case .chooseProvider(let choice):
            [LegacyCallback("displayProviderDialog:", .array(choice.providers.map(\.legacyDictionary)))]
        case .askPartner(.pick(let pick)): [pick.callback]
        case .askPartner(.confirm(let confirmation)): [confirmation.callback]
        case .openUserAgent(let visit): [visit.callback(namingBrowser: namesBrowser)]
        case .showCode(let code): [code.callback]
        case .permitted(let playback): [playback.callback]
        case .tokenRequestFailed(let failure): [failure.callback]
        case .preauthorized(let resources):
            [LegacyCallback("preauthorizedResources:", .array(resources.map { .string($0.rawValue) }))]
        case .selectedProvider(let provider):
            [LegacyCallback("selectedProvider:", provider?.legacyDictionary ?? .null)]
        case .metadata(let answer): [answer.callback]
        case .tracking(let event):
            [LegacyCallback("sendTrackingData:forEventType:", .array(event.array), .number(event.kind.legacyNumber))]
        case .status(let status): [LegacyCallback("status:", status.dictionary)]
        case .missed: []
        }
    }
}

extension JSON {
    /// `ACCESS_ENABLER_STATUS_SUCCESS` and `ACCESS_ENABLER_STATUS_ERROR`.
    fileprivate static func status(_ isSuccess: Bool) -> JSON { .number(isSuccess ? 1 : 0) }
}

// MARK: Authentication

extension AuthenticationResult {
    /// `setAuthenticationStatus:errorCode:`, with 1 and an empty text, or with 0 and the first system's error.
    fileprivate var callback: LegacyCallback {
        let selector = "setAuthenticationStatus:errorCode:"
        return switch self {
        case .authenticated: LegacyCallback(selector, .status(true), "")
        default:
            LegacyCallback(selector, .status(false), .string((legacy?.original ?? .genericAuthentication).rawValue))
        }
    }
}

extension PartnerPick {
    /// `presentTvProviderDialog:`; instead of a view, its argument is what the device gives to the partner's framework: the
    /// partner's own identifiers of providers, which are not the broker's.
    fileprivate var callback: LegacyCallback {
        LegacyCallback(
            "presentTvProviderDialog:",
            [
                "FEATURED_TV_PROVIDERS": .array(featured.map(JSON.string)),
                "TV_PROVIDERS": .array(supported.map(JSON.string)),
            ])
    }
}

extension PartnerConfirmation {
    /// `confirmTvProvider:`, with what the device gives to the partner's framework.
    fileprivate var callback: LegacyCallback {
        LegacyCallback(
            "confirmTvProvider:",
            [
                "allowsInterruption": .bool(allowsInterruption),
                "attributeNames": .array(attributeNames.map(JSON.string)),
                "channel": .string(PartnerQuestion.channel), "verificationToken": .string(verificationToken),
            ])
    }
}

extension UserAgentVisit {
    fileprivate func callback(namingBrowser namesBrowser: Bool) -> LegacyCallback {
        guard namesBrowser, usesSystemBrowser else { return LegacyCallback("navigateToUrl:", .string(url)) }
        return LegacyCallback("navigateToUrl:useSVC:", .string(url), true)
    }
}

extension ActivationCode {
    /// `status:` with the code as message: so the library for tvOS told it.
    fileprivate var callback: LegacyCallback {
        let status = SessionStatus(.registrationCode, message: code.text)
        return LegacyCallback("status:", status.dictionary)
    }
}

// MARK: Authorization

extension AuthorizedPlayback {
    /// `setToken:forResource:` with the token in its plain form, as the library handed it over.
    fileprivate var callback: LegacyCallback {
        LegacyCallback("setToken:forResource:", .string(token.serialized.plainText), .string(resource.rawValue))
    }
}

extension SerializedMediaToken {
    /// The token without its Base64; the text itself if it is not Base64 of a text.
    ///
    /// The operator's library handed this to applications. The broker sends Base64 of it, `serializedToken`. A
    /// verifier reads either.
    public var plainText: String {
        guard let bytes = Base64.decode(Array(serializedToken.utf8), options: .canonical),
            let text = String(validating: bytes, as: UTF8.self)
        else { return serializedToken }
        return text
    }
}

extension TokenRequestFailure {
    /// `tokenRequestFailed:errorCode:errorDescription:`, with the provider's text or an empty one.
    fileprivate var callback: LegacyCallback {
        LegacyCallback(
            "tokenRequestFailed:errorCode:errorDescription:", .string(resource.rawValue),
            .string(namedError.rawValue), .string(details ?? ""))
    }
}

// MARK: Statuses

extension SessionStatus {
    /// The dictionary that the operator's library handed to `status`.
    ///
    /// `errorId`, `level` in lower case as its reference shows it, `message` if there is one, and further keys.
    public var dictionary: JSON {
        var texts = furtherKeys
        texts["errorId"] = code.rawValue
        texts["level"] = level.rawValue.lowercased()
        texts["message"] = message
        let members = texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSON.Object(members.map { JSON.Member(name: $0.key, value: .string($0.value)) }))
    }
}
#endif
