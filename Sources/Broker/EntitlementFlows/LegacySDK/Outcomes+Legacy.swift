#if Client
import BrokerClient
public import BrokerMessages
import EntitlementValues
public import ServiceResponses

extension EntitlementFlowError {
    /// What the operator's library said of this failure.
    ///
    /// If no origin answered, the code is that of the first one's failure in `setRequestor`: `CFG404`, `CFG429` and so
    /// on.
    ///
    /// - Parameter call: The library's call.
    /// - Returns: Its errors; both are `nil` for a call that was cancelled, that another process goes
    ///   on with, or of which another call took the place.
    public func legacy(in call: LegacyCall) -> LegacyError {
        switch self {
        case .requestorNotSet: call.failing(with: .requestorNotValid)
        case .noOrigin(let failures):
            call.failing(with: failures.first?.error.legacy(in: .setRequestor).code ?? .serverNotFound)
        case .broker(let error): error.legacy(in: call)
        case .notAuthenticated: call.notAuthenticated
        case .identityNeeded: call.generic
        case .unknownProvider: LegacyMeaning.providerNotAvailable.error(in: call)
        case .unsupported: call.ownFailure
        case .codeEnded: call.failing(with: .authenticationNotFound)
        case .superseded, .shutDown, .cancelled: LegacyError(nil, nil)
        case .token, .redemption, .unknownStep: call.serverFailure
        case .store: call.ownFailure
        }
    }
}

extension AuthorizationDenial {
    /// What the operator's library said of this denial; without an error of the broker, it counts by who denied.
    public var legacy: LegacyError {
        if let error { return error.legacy(in: .authorization) }
        let meaning: LegacyMeaning =
            switch source {
            case .degradation: .deniedByDegradation
            case .temporaryAccess: .temporaryAccessEnded
            default: .denied
            }
        return meaning.error(in: .authorization)
    }
}

extension TokenRequestFailure {
    /// What the operator's library said of this failure.
    public var legacy: LegacyError {
        switch self {
        case .denied(let denial): denial.legacy
        case .notAuthenticated: LegacyCall.authorization.notAuthenticated
        // Another request took its place, so that it has no sign-in to wait for.
        case .failed(_, .superseded), .failed(_, .cancelled): LegacyError(.userNotAuthenticated, nil)
        case .failed(_, let error): error.legacy(in: .authorization)
        }
    }

    /// The error that `tokenRequestFailed` and the tracking of the request name: also where the operator's library told a
    /// status alone, as of too many requests.
    var namedError: OriginalError { legacy.original ?? .genericAuthorization }

    /// The provider's own text about a denial, without markup; `nil` if there is none.
    ///
    /// It is not trusted. The operator's library handed it over as the provider wrote it; its links are in
    /// ``AuthorizationDenial/links``.
    public var details: String? {
        guard case .denied(let denial) = self else { return nil }
        return denial.message
    }

    /// The `status` that the operator's library told beside the callback; `nil` if it told none.
    ///
    /// Its further keys are `resource`, and `links` if the provider's text about a denial has some, for example to buy what
    /// is missing: ``AuthorizationDenial/links`` with a space between them. They are not trusted.
    public var status: SessionStatus? {
        var keys = ["resource": resource.rawValue]
        if case .denied(let denial) = self, !denial.links.isEmpty {
            keys["links"] = denial.links.joined(separator: " ")
        }
        return legacy.code.map { SessionStatus($0, message: details, furtherKeys: keys) }
    }
}

extension AuthenticationResult {
    /// What the operator's library said of this result; `nil` if the user is signed in.
    public var legacy: LegacyError? {
        switch self {
        case .authenticated: nil
        case .notAuthenticated: LegacyCall.authentication.notAuthenticated
        case .noProviderChosen: LegacyError(.providerNotSelected, .pickerCancelled)
        case .providerNotAvailable: LegacyMeaning.providerNotAvailable.error(in: .authentication)
        case .failed(let error): error.legacy(in: .authentication)
        // For a sign-in that it could not complete, the library named a cause in the second system alone.
        case .unconfirmed(let error):
            LegacyError(.genericAuthentication, error.legacy(in: .authentication).code)
        }
    }
}

// MARK: Statuses

extension SessionStatus {
    /// The `status` that the operator's library told of a failure.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - call: The library's call; `nil` is returned if it told no code there.
    public init?(of error: EntitlementFlowError, in call: LegacyCall) {
        guard let code = error.legacy(in: call).code else { return nil }
        self.init(code)
    }

    /// The `status` that the operator's library told of a permit: `Z010` or `Z011`.
    ///
    /// - Parameter source: Who decided; `nil` is returned unless that was a rule or temporary access.
    public init?(permittedBy source: DecisionSource?) {
        switch source {
        case .degradation: self.init(.authorizedByDegradation)
        case .temporaryAccess: self.init(.authorizedByTemporaryAccess)
        default: return nil
        }
    }

    /// The `status` that the operator's library told of a user who is signed in: `N010` or `N011`.
    ///
    /// - Parameter reason: Why the user counts as signed in; `nil` is returned unless that is a rule or temporary
    ///   access.
    public init?(signedInBecause reason: SessionReason?) {
        switch reason {
        case .degraded: self.init(.authenticatedByDegradation)
        case .temporary: self.init(.authenticatedByTemporaryAccess)
        default: return nil
        }
    }

    /// The `status` that the operator's library told of a profile: `N010` or `N011`.
    ///
    /// - Parameter type: The type of the profile; `nil` is returned unless that is a rule or temporary access.
    public init?(signedInAs type: ProfileType?) {
        switch type {
        case .degraded: self.init(.authenticatedByDegradation)
        case .temporary: self.init(.authenticatedByTemporaryAccess)
        default: return nil
        }
    }

    /// The `status` that the operator's library told of the partner's answer: `VSA403`, `VSA404` or `VSA503`.
    ///
    /// - Parameter access: Whether the user permits access to the account; `nil` if the partner could not say. If it is
    ///   granted, `nil` is returned.
    public init?(partnerAccess access: PartnerAccessStatus?) {
        switch access {
        case .granted: return nil
        case .denied, .restricted: self.init(.partnerPermissionDenied)
        case .notDetermined: self.init(.partnerPermissionUndetermined)
        default: self.init(.partnerRequestFailed)
        }
    }
}
#endif
