public import EntitlementValues
import TextCodecs

/// What comes next in an authentication session, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct SessionAction: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes an action from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Let the user sign in at the provider, in a browser.
    public static let authenticate: SessionAction = "authenticate"
    /// Parameters are missing; complete them with a second call or on a second screen.
    public static let resume: SessionAction = "resume"
    /// Parameters are still missing.
    public static let retry: SessionAction = "retry"
    /// The user need not sign in: ask for authorization.
    public static let authorize: SessionAction = "authorize"
    /// Ask the device's sign-on partner.
    public static let partnerProfile: SessionAction = "partner_profile"
}

/// How the next step of a session or a logout is taken, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct ActionType: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a type from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// In a browser, by the user.
    public static let interactive: ActionType = "interactive"
    /// By a request of the application.
    public static let direct: ActionType = "direct"
    /// In the settings of the device, by the user (logout only).
    public static let partnerInteractive: ActionType = "partner_interactive"
    /// There is nothing to do (logout only).
    public static let noAction: ActionType = "none"
}

/// Why a session has the next step that it has, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct SessionReason: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a reason from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// There is nothing to explain.
    public static let noReason: SessionReason = "none"
    /// The user is signed in.
    public static let authenticated: SessionReason = "authenticated"
    /// The user has temporary access.
    public static let temporary: SessionReason = "temporary"
    /// The provider cannot be asked, and a rule lets the user in.
    public static let degraded: SessionReason = "degraded"
    /// The user is signed in by single sign-on.
    public static let authenticatedSSO: SessionReason = "authenticatedSSO"
    /// The partner's framework status does not permit single sign-on, so the user signs in at the provider.
    public static let frameworkStatusFallback: SessionReason = "pfs_fallback"
    /// The provider is not set up for the partner, so the user signs in at the provider.
    public static let configurationFallback: SessionReason = "configuration_fallback"
    /// Parameters are missing for single sign-on, so the user signs in at the provider.
    public static let missingParametersFallback: SessionReason = "missing_parameters_fallback"
}

/// A parameter that a session lacks, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct MissingParameter: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a parameter from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The provider.
    public static let mvpd: MissingParameter = "mvpd"
    /// The application's domain, as answers usually name it.
    public static let domain: MissingParameter = "domain"
    /// The application's domain, as requests name it.
    public static let domainName: MissingParameter = "domainName"
    /// The address that the browser returns to.
    public static let redirectURL: MissingParameter = "redirectUrl"

    /// The name of the field to send it in: requests name the domain `domainName`, whatever the answer calls it.
    public var fieldName: String { self == .domain ? Self.domainName.rawValue : rawValue }
}

// What the answers about sessions have in common.

extension BodyObject {
    /// The names of missing parameters, in `missingParameters` or in `missing`; empty if there are neither.
    mutating func takeMissingParameters(
        _ text: Span<UInt8>,
        faults: inout ResponseFaults
    ) throws(ServiceResponseError) -> [MissingParameter] {
        if let names = try takeTexts("missingParameters", text, faults: &faults) {
            return names.map(MissingParameter.init)
        }
        return try takeTexts("missing", text, faults: &faults)?.map(MissingParameter.init) ?? []
    }
}

extension JSONWriter {
    /// Adds the names of missing parameters, if there are any.
    mutating func member(_ name: String, _ parameters: [MissingParameter]) {
        if !parameters.isEmpty { member(name, parameters.map(\.rawValue)) }
    }

    /// Adds an instant as a string of digits, as answers about sessions have it, if there is one.
    mutating func member(_ name: String, digitsOf instant: Timestamp?) {
        if let instant { member(name, String(instant.milliseconds)) }
    }
}
