#if Client

extension SessionModel {
    /// What a call returns or throws, as text.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - observed: What the session returned: where the contract leaves a choice, it decides.
    /// - Returns: The text.
    mutating func perform(_ call: WalkCall, observed: WalkObservation) -> String {
        lastFault = nil
        seenRequests = observed.requests
        let answer: String
        do throws(Failure) {
            answer = try result(of: call, observed)
        } catch {
            answer = error.rawValue
        }
        if logoutFollows {
            logoutFollows = false
            _ = try? logOut(of: knownProviders)
        }
        isCancelled = false
        interruption = nil
        return answer
    }

    private mutating func result(of call: WalkCall, _ observed: WalkObservation) throws(Failure) -> String {
        switch call {
        case .cancel: return cancel()
        case .handleExternalURL:
            forgetEndedCode(answering: observed.outcome)
            return try returned()
        case .forgetDevice: return forgetDevice()
        case .setRequestor: return try setRequestor()
        case .selectedProvider:
            if hasRequestor { look() }
            tell("the selected provider")
            return "provider \(hasRequestor ? provider ?? "none" : "none")"
        case .authenticationTTL, .authorizationTTL:
            defer { tell("metadata") }
            return try metadata(call)
        case .checkAuthorization, .getAuthorization:
            guard hasRequestor else {
                tellNoRequestor()
                throw .requestorNotSet
            }
        case .logoutAll, .logout:
            guard hasRequestor else {
                tell("status CFG400 (Error)")
                throw .requestorNotSet
            }
        case .checkAuthentication, .getAuthentication, .forceAuthentication, .setSelectedProvider:
            guard hasRequestor else {
                tellFailure(.requestorNotSet)
                throw .requestorNotSet
            }
        default: guard hasRequestor else { throw .requestorNotSet }
        }
        return try command(call, observed)
    }

    private mutating func command(_ call: WalkCall, _ observed: WalkObservation) throws(Failure) -> String {
        switch call {
        case .checkAuthentication(let source):
            return try reporting { model throws(Failure) in try model.checkAuthentication(source) }
        case .getAuthentication:
            return try reporting { model throws(Failure) in
                model.look()
                if model.status == nil { try model.refresh() }
                guard model.signIn != nil else { return try model.beginSignIn() }
                let answer = model.signInText
                model.tellSignIn()
                model.carryOn()
                return answer
            }
        case .forceAuthentication: return try reporting { model throws(Failure) in try model.force() }
        case .setSelectedProvider(let mvpd):
            return try reporting { model throws(Failure) in try model.choose(mvpd) }
        case .checkAuthorization(let resource): return try checkAuthorization(resource)
        case .getAuthorization(let resource): return try getAuthorization(resource)
        case .preauthorize(let resources): return try preauthorize(resources, remembering: observed.remembered)
        case .logoutAll, .logout:
            endWatch(Failure.superseded.rawValue)
            look()
            raiseEpoch()
            if case .logout(let mvpd) = call { return try logOut(of: [mvpd]) }
            return try logOut(of: knownProviders)
        default:
            return try foreground()
        }
    }

    /// Does a part of an authentication, and tells its failure.
    mutating func reporting(
        _ body: (inout SessionModel) throws(Failure) -> String
    ) throws(Failure) -> String {
        do throws(Failure) {
            return try body(&self)
        } catch {
            tellFailure(error)
            throw error
        }
    }

    private mutating func metadata(_ call: WalkCall) throws(Failure) -> String {
        guard hasRequestor else { throw .requestorNotSet }
        look()
        if case .authorizationTTL(let resource) = call { return authorizationTTL(of: resource) }
        do throws(Failure) {
            return try authenticationTTL()
        } catch .broker where lastFault == .throttled {
            return "until ?"
        }
    }

    private mutating func setRequestor() throws(Failure) -> String {
        do throws(Failure) {
            if hasRequestor {
                _ = try foreground()
            } else {
                endPending()
                look()
                // A provider that is pinned to an origin needs no list to be found.
                if brokers.count > 1, choice?.origin == nil { _ = try askForLists() }
                hasRequestor = true
            }
        } catch {
            leavesStatusesOpen = true
            tell("requestor could not be set")
            throw error == .broker ? .noOrigin : error
        }
        tell("requestor is set")
        return "set"
    }

    /// The providers that a logout is about.
    private var knownProviders: [String] {
        let known = [provider, profile?.mvpd].compactMap(\.self)
        let deciders = WalkStep.providers.filter { mvpd in
            decisions.contains { $0.key.hasPrefix("\(mvpd) ") && now < $0.value }
        }
        var all: [String] = []
        for mvpd in known + Self.oldestFirst(others) + deciders + unconfirmedLogouts
        where !all.contains(mvpd) { all.append(mvpd) }
        return all
    }

    private mutating func tellNoRequestor() {
        leavesStatusesOpen = true
        tell("not permitted", "tracking of authorization")
    }

    private mutating func forgetDevice() -> String {
        endWatch(Failure.superseded.rawValue)
        endPending()
        let hadRecord = hasRecord
        if hadRecord { tell("not authenticated") }
        erase()
        (knowsRegistration, isErased, permits, denials) = (false, false, [:], [:])
        return hadRecord ? "forgotten" : "nothing to forget"
    }

    /// Another process erases the device: the session notices it when it looks the next time.
    mutating func eraseElsewhere() {
        isErased = isErased || knowsRegistration
        erase()
    }

    private mutating func erase() {
        (hasRecord, isRegistered, isAsked, profile, choice, code) = (false, false, false, nil, nil, nil)
        lastSignIn = nil
        (unconfirmed, others, decisions) = ([:], [:], [:])
        epoch = 0
        for origin in brokers.indices { brokers[origin].registerAnew() }
    }

    /// The process ends in good order, and another one goes on.
    mutating func restart() {
        endWatch(Failure.shutDown.rawValue)
        endPending()
        (hasRequestor, afterLogout, permits, denials, pinned) = (false, nil, [:], [:], [])
        (knowsRegistration, isErased) = (false, false)
    }
}
#endif
