#if Client

extension SessionModel {
    enum Ruling {
        case permit, denial, signedOut
        /// The time of temporary access is over.
        case usedUp
        /// Temporary access has no room for this resource.
        case full

        /// Whether the user does not count as signed in anymore.
        var endsSignIn: Bool { self == .signedOut || self == .usedUp }
    }

    /// Who decides: the provider of the sign-in, or if nothing is known, the one that was chosen.
    private mutating func decider() throws(Failure) -> String? {
        look()
        switch status {
        case true?: return signIn?.mvpd
        case false?: return nil
        case nil:
            if let provider { return provider }
            try refresh()
            return signIn?.mvpd
        }
    }

    /// Whether the session has answered by a denial that it remembers, and may have.
    private func hasRemembered(_ question: String, _ resources: [String], _ mvpd: String) -> Bool {
        !seenRequests.contains { $0.contains("decisions/\(question)/") }
            && resources.allSatisfy { resource in
                denials["\(question) \(mvpd) \(resource)"].map { now <= $0 } ?? false
            }
    }

    private mutating func rule(on resource: String, by mvpd: String) throws(Failure) -> Ruling {
        if hasRemembered("authorize", [resource], mvpd) { return resource == "sim:deny" ? .denial : .full }
        let (epoch, time, place) = (epoch, now, origin(of: mvpd, with: choice))
        let decision = try askPlainly("decisions/authorize/\(mvpd)", at: place) {
            $0.decide(resource, mvpd, at: time)
        }
        guard knows(mvpd, at: place) else { throw .broker }
        try check(epoch)
        switch decision {
        case .permit(let end):
            prove(mvpd)
            if let end { decisions["\(mvpd) \(resource)"] = end }
            return .permit
        case .denial:
            prove(mvpd)
            denials["authorize \(mvpd) \(resource)"] = now + 10_000
            return .denial
        // It says nothing of the sign-in: another resource may be permitted still.
        case .tooManyResources:
            denials["authorize \(mvpd) \(resource)"] = now + 10_000
            return .full
        case .signedOut, .timeIsOver:
            keep(nil)
            lastSignIn = nil
            return if case .timeIsOver = decision { .usedUp } else { .signedOut }
        }
    }

    /// Keeps that the user is signed in with a provider, by an answer that proves it.
    private mutating func prove(_ mvpd: String) {
        if profile?.mvpd != mvpd { keep(Profile(mvpd: mvpd)) }
    }

    /// Decides, and tells it after the status of the authentication, if that is to be told.
    private mutating func decide(
        _ resource: String,
        by mvpd: String,
        tellsStatus: Bool = false
    ) throws(Failure) -> String {
        do throws(Failure) {
            let ruling = try rule(on: resource, by: mvpd)
            if tellsStatus { tell(ruling.endsSignIn ? "not authenticated" : "authenticated") }
            tellRuling(ruling, by: mvpd)
            return ruling == .permit ? "permitted by \(mvpd)" : "denied by \(mvpd)"
        } catch {
            if tellsStatus, error != .superseded { tell("authenticated") }
            tellNoDecision()
            throw error
        }
    }

    private mutating func tellRuling(_ ruling: Ruling, by mvpd: String?) {
        switch ruling {
        case .permit:
            tell("permitted")
            if mvpd == WalkStep.trial { tell("status Z011 (Info)") }
        case .denial: tell("not permitted", "status Z100 (Error)")
        case .signedOut: tell("not permitted", "status N000 (Info)")
        case .usedUp, .full: tell("not permitted", "status N111 (Warning)")
        }
        tell("tracking of authorization")
    }

    private mutating func tellNoDecision() {
        leavesStatusesOpen = true
        tell("not permitted", "tracking of authorization")
    }

    mutating func checkAuthorization(_ resource: String) throws(Failure) -> String {
        let mvpd: String?
        do throws(Failure) {
            mvpd = try decider()
        } catch {
            tell("not authenticated")
            tellNoDecision()
            throw error
        }
        if let mvpd { return try decide(resource, by: mvpd, tellsStatus: true) }
        tell("not authenticated")
        tellRuling(.signedOut, by: nil)
        throw .notAuthenticated
    }

    mutating func getAuthorization(_ resource: String) throws(Failure) -> String {
        do throws(Failure) {
            if let mvpd = try decider() {
                let ruling = try rule(on: resource, by: mvpd)
                if ruling != .signedOut {
                    tellRuling(ruling, by: mvpd)
                    return ruling == .permit ? "permitted by \(mvpd)" : "denied by \(mvpd)"
                }
            }
        } catch {
            tellNoDecision()
            throw error
        }
        endPending()
        (pending, decided) = (resource, nil)
        do throws(Failure) {
            let step = try beginSignIn()
            // The broker may know the user, so that the decision follows at once.
            return try decided?.get() ?? "sign-in: \(step)"
        } catch {
            if pending == resource { tellFailure(error) }
            endPending()
            throw error
        }
    }

    /// Decides what waited for the sign-in.
    mutating func carryOn() {
        guard let resource = pending else { return }
        pending = nil
        do throws(Failure) {
            decided = .success(try decision(on: resource))
        } catch {
            decided = .failure(error)
        }
    }

    private mutating func decision(on resource: String) throws(Failure) -> String {
        let mvpd: String?
        do throws(Failure) {
            mvpd = try decider()
        } catch {
            tellNoDecision()
            throw error
        }
        guard let mvpd else {
            tellRuling(.signedOut, by: nil)
            throw .notAuthenticated
        }
        return try decide(resource, by: mvpd)
    }

    /// Asks before playback; a permit or a denial may be forgotten, and one that is remembered must be good.
    ///
    /// - Parameters:
    ///   - resources: What is asked.
    ///   - remembered: Those that the session has answered by itself.
    /// - Returns: What the call returns, as text.
    /// - Throws: The failure that the call ends with.
    mutating func preauthorize(_ resources: [String], remembering remembered: [String]) throws(Failure) -> String {
        guard let mvpd = try decider() else { throw .notAuthenticated }
        let good = remembered.filter { permits[$0].map { now < $0 } ?? false }
        let open = resources.filter { !good.contains($0) }
        guard !open.isEmpty, !hasRemembered("preauthorize", open, mvpd) else {
            return resources.map { good.contains($0) ? "\($0)+" : "\($0)-" }.joined(separator: " ")
        }
        let (epoch, time, place) = (epoch, now, origin(of: mvpd, with: choice))
        let isSignedIn = try askPlainly("decisions/preauthorize/\(mvpd)", at: place) {
            $0.answersBeforePlayback(of: mvpd, at: time)
        }
        guard knows(mvpd, at: place) else { throw .broker }
        try check(epoch)
        let permitted = isSignedIn ? open.filter { $0 != "sim:deny" } : []
        if !isSignedIn, open.contains(where: { $0 != "sim:deny" }) {
            keep(nil)
            lastSignIn = nil
            throw .notAuthenticated
        }
        prove(mvpd)
        for resource in permitted { permits[resource] = now + 30 * 60_000 }
        for resource in open where !permitted.contains(resource) {
            denials["preauthorize \(mvpd) \(resource)"] = now + 60_000
        }
        return resources.map { good.contains($0) || permitted.contains($0) ? "\($0)+" : "\($0)-" }
            .joined(separator: " ")
    }
}
#endif
