#if Client

extension SessionModel {
    enum Ruling { case permit, denial, signedOut }

    /// Who decides: the provider of the sign-in, or if nothing is known, the one that was chosen.
    private mutating func decider() throws(Failure) -> String? {
        switch status {
        case true?: return signIn?.mvpd
        case false?: return nil
        case nil:
            if let provider { return provider }
            _ = try refresh()
            return signIn?.mvpd
        }
    }

    private mutating func rule(on resource: String, by mvpd: String) throws(Failure) -> Ruling {
        let (epoch, time) = (epoch, now)
        let end = try askPlainly("decisions/authorize/\(mvpd)") { $0.decide(resource, mvpd, at: time) }
        guard mvpd != "Elsewhere" else { throw .broker }
        let ruling: Ruling = resource == "sim:deny" ? .denial : end == nil ? .signedOut : .permit
        try check(epoch)
        if ruling == .signedOut {
            keep(nil)
            lastSignIn = nil
        } else if profile?.mvpd != mvpd {
            keep(Profile(mvpd: mvpd))
        }
        if ruling == .permit { decisions["\(mvpd) \(resource)"] = end }
        return ruling
    }

    /// Decides, and tells it after the status of the authentication, if that is to be told.
    private mutating func decide(
        _ resource: String,
        by mvpd: String,
        tellsStatus: Bool = false
    ) throws(Failure) -> String {
        do throws(Failure) {
            let ruling = try rule(on: resource, by: mvpd)
            if tellsStatus { tell(ruling == .signedOut ? "not authenticated" : "authenticated") }
            tellRuling(ruling)
            return ruling == .permit ? "permitted by \(mvpd)" : "denied by \(mvpd)"
        } catch {
            if tellsStatus, error != .superseded { tell("authenticated") }
            tellNoDecision()
            throw error
        }
    }

    private mutating func tellRuling(_ ruling: Ruling) {
        switch ruling {
        case .permit: tell("permitted")
        case .denial: tell("not permitted", "status Z100 (Error)")
        case .signedOut: tell("not permitted", "status N000 (Info)")
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
        tellRuling(.signedOut)
        throw .notAuthenticated
    }

    mutating func getAuthorization(_ resource: String) throws(Failure) -> String {
        do throws(Failure) {
            if let mvpd = try decider() {
                let ruling = try rule(on: resource, by: mvpd)
                if ruling != .signedOut {
                    tellRuling(ruling)
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
            tellRuling(.signedOut)
            throw .notAuthenticated
        }
        return try decide(resource, by: mvpd)
    }

    /// Asks before playback; a permit may be forgotten, and one that is remembered must be good.
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
        guard !open.isEmpty else { return resources.map { "\($0)+" }.joined(separator: " ") }
        let (epoch, time) = (epoch, now)
        let isSignedIn = try askPlainly("decisions/preauthorize/\(mvpd)") { $0.profile(of: mvpd, at: time) != nil }
        guard mvpd != "Elsewhere" else { throw .broker }
        try check(epoch)
        let permitted = isSignedIn ? open.filter { $0 != "sim:deny" } : []
        if !isSignedIn, open.contains(where: { $0 != "sim:deny" }) {
            keep(nil)
            lastSignIn = nil
            throw .notAuthenticated
        }
        if profile?.mvpd != mvpd { keep(Profile(mvpd: mvpd)) }
        for resource in permitted { permits[resource] = now + 30 * 60_000 }
        return resources.map { good.contains($0) || permitted.contains($0) ? "\($0)+" : "\($0)-" }
            .joined(separator: " ")
    }
}
#endif
