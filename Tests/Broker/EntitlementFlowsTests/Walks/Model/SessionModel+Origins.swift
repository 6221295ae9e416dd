#if Client

// Which origin answers for a provider. With one origin there is nothing to find out.
extension SessionModel {
    /// The providers that an origin lists: with two origins, a provider is at the one or the other.
    func providers(at origin: Int) -> [String] {
        guard brokers.count > 1 else { return WalkStep.providers + [WalkStep.trial] }
        return origin == 0 ? ["SampleCable", WalkStep.trial] : ["SampleFiber"]
    }

    /// The origin that lists a provider; `nil` if none does.
    private func home(of mvpd: String) -> Int? { brokers.indices.first { providers(at: $0).contains(mvpd) } }

    /// Whether an origin knows a provider.
    func knows(_ mvpd: String, at origin: Int) -> Bool { home(of: mvpd) == origin }

    /// The origin that is asked about a provider: the one that it is pinned to, else the first.
    ///
    /// - Parameters:
    ///   - mvpd: The provider; `nil` for the one that was chosen.
    ///   - choice: The provider that was chosen.
    /// - Returns: The origin.
    func origin(of mvpd: String?, with choice: Choice?) -> Int {
        let mvpd = mvpd ?? choice?.mvpd
        if let choice, choice.mvpd == mvpd, let origin = choice.origin { return origin }
        return mvpd.flatMap(pin) ?? 0
    }

    private func pin(_ mvpd: String) -> Int? { home(of: mvpd).flatMap { pinned.contains($0) ? $0 : nil } }

    /// What is kept of a provider: what the lists in memory say, however old they are, else what is kept already.
    func choice(of mvpd: String, keptAs known: Choice? = nil) -> Choice {
        let known = known.flatMap { $0.mvpd == mvpd ? $0 : nil }
        let isListed = home(of: mvpd).map { listUntil[$0] != nil } ?? false
        return Choice(
            mvpd: mvpd, origin: pin(mvpd) ?? known?.origin,
            isTemporary: isListed ? mvpd == WalkStep.trial : known?.isTemporary ?? false)
    }

    // MARK: Lists

    /// Asks each origin for its list, unless there is one of the last three minutes; it is enough that one answers.
    ///
    /// - Returns: The origins whose lists are there; their providers are pinned from now on.
    /// - Throws: `.noOrigin`, `.cancelled`.
    mutating func askForLists() throws(Failure) -> [Int] {
        var found: [Int] = []
        for origin in brokers.indices {
            if listUntil[origin].map({ now >= $0 }) ?? true {
                do throws(Failure) {
                    try askPlainly("configuration", at: origin) { _ in }
                } catch {
                    continue
                }
                listUntil[origin] = now + 180_000
            }
            found.append(origin)
        }
        guard !found.isEmpty else { throw isCancelled ? .cancelled : .noOrigin }
        pinned = brokers.count > 1 ? found : []
        return found
    }

    /// Whether it is not known which of two origins answers for a provider.
    private func needsLists(for mvpd: String, with choice: Choice?) -> Bool {
        guard brokers.count > 1, pin(mvpd) == nil else { return false }
        return choice?.mvpd != mvpd || choice?.origin == nil
    }

    /// Asks for the lists if it is not known which origin answers for a provider.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - choice: The provider that was chosen.
    /// - Returns: Whether they were asked for.
    /// - Throws: `.noOrigin` if it may be at an origin that did not answer, `.cancelled`.
    mutating func findOrigin(of mvpd: String, with choice: Choice?) throws(Failure) -> Bool {
        guard needsLists(for: mvpd, with: choice) else { return false }
        _ = try askForLists()
        if needsLists(for: mvpd, with: choice), !isMissing(mvpd) { throw .noOrigin }
        return true
    }

    /// Whether a list of each origin is in memory, however old, and none has the provider.
    private func isMissing(_ mvpd: String) -> Bool { home(of: mvpd) == nil && !listUntil.contains(nil) }

    /// Refuses a provider that no list has.
    mutating func refuseMissing(_ mvpd: String) throws(Failure) {
        if isMissing(mvpd) { throw .unknownProvider }
    }
}
#endif
