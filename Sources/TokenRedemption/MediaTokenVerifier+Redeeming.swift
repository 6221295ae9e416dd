public import EntitlementValues
public import MediaTokens

extension VerifiedMediaToken {
    /// Tells this token apart from all others, and from none of its own spellings.
    public var replayID: ReplayID { ReplayID(signedDigest) }

    /// The instant until which a store must remember that the token was used.
    ///
    /// No verifier lets it pass later, whatever its leeway; five minutes more are for clocks that differ. It depends on
    /// the token alone, so that all hosts that share a store mean the same.
    public var replayableUntil: Timestamp { expires + VerificationPolicy.maximumTolerance + .minutes(5) }
}

extension MediaTokenVerifier {
    /// Verifies a token that may be used once.
    ///
    /// The token is redeemed last, when everything else is good: a refused token stays unused.
    ///
    /// - Parameters:
    ///   - text: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Where used tokens are remembered; everybody who verifies the same tokens must share it.
    /// - Returns: What the token says. No other call that shares the store returned it before.
    /// - Throws: `MediaTokenError`: the first check that failed, `.replayed` where the token was used before, and
    ///   `.storeUnavailable` where the store cannot say.
    public func verify(
        _ text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async throws(MediaTokenError) -> VerifiedMediaToken {
        try await verdict(on: text, expecting: expectations, at: now, redeemingIn: store).result.get()
    }

    /// Verifies a token, given as bytes, that may be used once.
    ///
    /// - Throws: `MediaTokenError`: the first check that failed, `.replayed` where the token was used before, and
    ///   `.storeUnavailable` where the store cannot say.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async throws(MediaTokenError) -> VerifiedMediaToken {
        try await verdict(on: bytes, expecting: expectations, at: now, redeemingIn: store).result.get()
    }

    /// Verifies a token that may be used once, and tells what was established on the way, also where it is refused.
    public func verdict(
        on text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async -> MediaTokenVerdict {
        await verdict(on: text, expecting: expectations, at: now).redeemed(in: store, at: now)
    }

    /// Verifies a token, given as bytes, that may be used once, and tells what was established on the way, also where it
    /// is refused.
    public func verdict(
        on bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async -> MediaTokenVerdict {
        await verdict(on: bytes, expecting: expectations, at: now).redeemed(in: store, at: now)
    }
}

extension MediaTokenVerdict {
    /// The verdict after the last check: the same, or refused because the token is not unused for certain.
    package func redeemed(in store: some ReplayStore, at now: Timestamp) async -> MediaTokenVerdict {
        guard case .success(let token) = result else { return self }
        do throws(ReplayStoreError) {
            switch try await store.redeem(token.replayID, until: token.replayableUntil, at: now) {
            case .first: return self
            case .seen: return refused(.replayed)
            }
        } catch {
            return refused(.storeUnavailable(reason: error.description))
        }
    }
}
