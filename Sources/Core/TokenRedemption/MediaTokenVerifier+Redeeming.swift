public import EntitlementValues
public import MediaTokens

extension VerifiedMediaToken {
    /// The ID by which a store recognises this token; all spellings of the token have the same one.
    public var replayID: ReplayID { ReplayID(signedDigest) }

    /// The instant until which a store must remember that the token was used.
    ///
    /// No verifier accepts the token later, even with the largest leeway; five more minutes allow for clocks that
    /// differ. The instant depends on the token alone, so hosts with different settings can share a store.
    public var replayableUntil: Timestamp { expires + VerificationPolicy.maximumTolerance + .minutes(5) }
}

extension MediaTokenVerifier {
    /// Verifies a token and redeems it, so that it is accepted once.
    ///
    /// The token is redeemed last, when every other check has passed: a refused token stays unused.
    ///
    /// - Parameters:
    ///   - text: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: What the token says. No other call that shares the store returned this token before.
    /// - Throws: `MediaTokenError`: the first check that failed, `.replayed` if the token was used before, and
    ///   `.storeUnavailable` if the store cannot tell.
    public func verify(
        _ text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async throws(MediaTokenError) -> VerifiedMediaToken {
        try await verdict(on: text, expecting: expectations, at: now, redeemingIn: store).result.get()
    }

    /// Verifies a token given as bytes and redeems it, so that it is accepted once.
    ///
    /// - Parameters:
    ///   - bytes: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: What the token says. No other call that shares the store returned this token before.
    /// - Throws: `MediaTokenError`: the first check that failed, `.replayed` if the token was used before, and
    ///   `.storeUnavailable` if the store cannot tell.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async throws(MediaTokenError) -> VerifiedMediaToken {
        try await verdict(on: bytes, expecting: expectations, at: now, redeemingIn: store).result.get()
    }

    /// Verifies a token given as an array and redeems it, so that it is accepted once.
    ///
    /// - Parameters:
    ///   - bytes: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: What the token says. No other call that shares the store returned this token before.
    /// - Throws: `MediaTokenError`: the first check that failed, `.replayed` if the token was used before, and
    ///   `.storeUnavailable` if the store cannot tell.
    public func verify(
        _ bytes: [UInt8],
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async throws(MediaTokenError) -> VerifiedMediaToken {
        try await verdict(on: bytes, expecting: expectations, at: now, redeemingIn: store).result.get()
    }

    /// Verifies and redeems a token, and says what was established on the way, even if the token is refused.
    ///
    /// - Parameters:
    ///   - text: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: The verdict: good, or the first check that failed.
    public func verdict(
        on text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async -> MediaTokenVerdict {
        await verdict(on: text, expecting: expectations, at: now).redeemed(in: store, at: now)
    }

    /// Verifies and redeems a token given as bytes, and says what was established on the way, even if it is refused.
    ///
    /// - Parameters:
    ///   - bytes: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: The verdict: good, or the first check that failed.
    public func verdict(
        on bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async -> MediaTokenVerdict {
        await verdict(on: bytes, expecting: expectations, at: now).redeemed(in: store, at: now)
    }

    /// Verifies and redeems a token given as an array, and says what was established on the way, even if it is refused.
    ///
    /// - Parameters:
    ///   - bytes: The token as the client passed it on.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    ///   - store: Remembers the redeemed tokens; all processes that verify the same tokens must share it.
    /// - Returns: The verdict: good, or the first check that failed.
    public func verdict(
        on bytes: [UInt8],
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now,
        redeemingIn store: some ReplayStore
    ) async -> MediaTokenVerdict {
        await verdict(on: bytes, expecting: expectations, at: now).redeemed(in: store, at: now)
    }
}

extension ReplayStore {
    /// Redeems a token, and has it remembered for as long as a token of its TTL can live, counted from now.
    ///
    /// So a store that counts by a clock of its own, as Redis does, remembers it until it has ended, however wrong the
    /// clock here is: no token is used before it is issued. Throws if the store cannot tell.
    package func redeem(_ token: VerifiedMediaToken, at now: Timestamp) async throws(ReplayStoreError) -> Redemption {
        try await redeem(token.replayID, until: token.replayableUntil, at: min(now, token.issued))
    }
}

extension MediaTokenVerdict {
    /// Redeems the token of a good verdict.
    ///
    /// `now` is the instant of the verification. The verdict becomes a refusal if the token was used before or the
    /// store cannot tell.
    package func redeemed(in store: some ReplayStore, at now: Timestamp) async -> MediaTokenVerdict {
        guard case .success(let token) = result else { return self }
        do throws(ReplayStoreError) {
            switch try await store.redeem(token, at: now) {
            case .first: return self
            case .seen: return refused(.replayed)
            }
        } catch {
            return refused(.storeUnavailable(reason: error.description))
        }
    }
}
