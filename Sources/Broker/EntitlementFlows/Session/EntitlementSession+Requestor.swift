#if Client
public import BrokerClient
import BrokerMessages
public import DeviceRecords
public import EntitlementValues

extension EntitlementSession {
    /// Says for which brand the device asks, and which origins of the broker answer for it.
    ///
    /// With one origin nothing is sent. With several, all are asked for their providers at once, unless the device's
    /// record has a provider that is pinned to one of them; it is enough that one answers. Calls that need the requestor
    /// wait for this one, and fail as it does if a requestor is not set after it.
    ///
    /// Called again for the same brand, it is what the operator's library took for a return to the foreground: the
    /// broker is asked once for the profile. An event tells only what has changed.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - origins: The origins, by rank; none for that of the application's broker. Repetitions count once.
    /// - Returns: A question to the device's sign-on partner, which is to be put without showing anything to the user:
    ///   the subscriber of the device's own account is signed in silently (``SessionOptions/partnerSignIn``). `nil` if
    ///   there is none.
    /// - Throws: `.noOrigin` with the cause of each origin, `.store`, `.cancelled`.
    @discardableResult
    public func setRequestor(
        _ id: RequestorID,
        at origins: [BrokerOrigin] = []
    ) async throws(EntitlementFlowError) -> PartnerQuestion? {
        let (number, context) = (state.beginSetUp(), newContext())
        let isMyTurn = await queue.enter()
        defer { if isMyTurn { queue.leave() } }
        do throws(EntitlementFlowError) {
            guard isMyTurn else { throw .cancelled }
            let origins = Self.distinct(origins, or: application.broker.environment.api)
            let question = try await setUp(SessionCall(for: id, in: context), at: origins)
            state.endSetUp(number, with: nil)
            tell([.requestorComplete(true)], context)
            return question
        } catch {
            state.endSetUp(number, with: error)
            tell(telling(context).requestorFailed(error), context)
            throw error
        }
    }

    /// The provider that the user chose last, as the device's record has it; nothing is sent.
    ///
    /// - Returns: The provider; `nil` if there is none, or no requestor yet.
    /// - Throws: `.store`.
    public func selectedProvider() async throws(EntitlementFlowError) -> ChosenProvider? {
        let context = newContext()
        let provider =
            if let call = try? call(in: context) { try await record(call).provider } else { nil as ChosenProvider? }
        tell([.selectedProvider(provider)], context)
        return provider
    }

    private func setUp(
        _ call: SessionCall,
        at origins: [BrokerOrigin]
    ) async throws(EntitlementFlowError) -> PartnerQuestion? {
        if access.requestor == .found(call.requestor, origins) {
            try await foregroundOfOrigin(call)
        } else {
            end(state.requestorChanges(), call.context)
            access.leaveRequestor()
            let known = try await record(call).provider?.origin
            if origins.count > 1, !origins.contains(where: { "\($0)" == known }) {
                _ = try await access.providers(call, at: origins)
            }
            access.use(call.requestor, at: origins)
        }
        return call.context.options.partnerSignIn == .silent ? try await silentQuestion(call) : nil
    }

    /// Asks once for the profile; the failure of the one origin that was asked is that of all.
    private func foregroundOfOrigin(_ call: SessionCall) async throws(EntitlementFlowError) {
        do throws(EntitlementFlowError) {
            try await foreground(call)
        } catch .broker(let error) {
            let record = try await record(call)
            throw .noOrigin([OriginFailure(at: access.origin(mvpd: nil, in: record), because: error)])
        }
    }

    private static func distinct(_ origins: [BrokerOrigin], or standard: BrokerOrigin) -> [BrokerOrigin] {
        let distinct: [BrokerOrigin] = origins.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        return distinct.isEmpty ? [standard] : distinct
    }
}

extension EntitlementSession {
    /// Says for which brand the device asks, with the addresses of service providers as the operator's library took them.
    ///
    /// Of each address the host counts. Its scheme may be missing, and the path `/adobe-services` of the older protocol is
    /// left out. Plain HTTP to one of the operator's hosts is raised to `https`, with a warning in the log.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - urls: The addresses, by rank; none for that of the application's broker.
    /// - Returns: As `setRequestor(_:at:)`.
    /// - Throws: `.unsupported(.malformedServiceProvider)`, at once and without an event, if an address is not one of a
    ///   server, has another path, or is plain HTTP to another host; else as `setRequestor(_:at:)`.
    @discardableResult
    public func setRequestor(
        _ id: RequestorID,
        serviceProviders urls: [String]
    ) async throws(EntitlementFlowError) -> PartnerQuestion? {
        let origins = try urls.map { url throws(EntitlementFlowError) in
            try rethrowing(application.broker.origin(ofServiceProvider: url)) { (_: BrokerSettingsError) in
                EntitlementFlowError.unsupported(.malformedServiceProvider)
            }
        }
        return try await setRequestor(id, at: origins)
    }

    /// Refused: a signed requestor identifier belongs to the older protocol.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - signedRequestorID: Its signed identifier, whose place a software statement takes.
    ///   - origins: The origins to ask.
    ///   - secret: A secret of the older protocol.
    ///   - publicKey: A public key of the older protocol.
    /// - Throws: Always.
    @available(
        *, unavailable,
        message: "signed requestor identifiers belong to the older protocol; a software statement takes their place"
    )
    public func setRequestor(
        _ id: RequestorID,
        signedRequestorID: String,
        at origins: [BrokerOrigin] = [],
        secret: String = "",
        publicKey: String = ""
    ) async throws(EntitlementFlowError) { throw .unsupported(.unknownData) }
}

/// Which calls of `setRequestor` run or wait, so that commands that came after one fail as it did if
/// a requestor is not set.
struct RequestorSetUps {
    private var last: UInt64 = 0
    private var running: Set<UInt64> = []
    private var failed: (number: UInt64, error: EntitlementFlowError)?

    /// The last call that has not ended; `nil` if there is none.
    var latest: UInt64? { running.max() }

    /// Notes that a call came; returns its number.
    mutating func begin() -> UInt64 {
        last += 1
        running.insert(last)
        return last
    }

    /// Notes that a call has ended.
    mutating func end(_ number: UInt64, with error: EntitlementFlowError?) {
        running.remove(number)
        if let error { failed = (number, error) }
    }

    /// Why a call failed; `nil` if it did not, or if a later one failed since.
    func failure(of number: UInt64?) -> EntitlementFlowError? {
        failed.flatMap { $0.number == number ? $0.error : nil }
    }
}
#endif
