#if Client
public import BrokerClient
public import DeviceRecords
import BrokerMessages
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
        if requestor == .found(call.requestor, origins) {
            try await foregroundOfOrigin(call)
        } else {
            end(state.requestorChanges(), call.context)
            (requestor, pins) = (.none, [:])
            let known = try await record(call).provider?.origin
            if origins.count > 1, !origins.contains(where: { "\($0)" == known }) {
                _ = try await providers(call, at: origins)
            }
            requestor = .found(call.requestor, origins)
        }
        return call.context.options.partnerSignIn == .silent ? try await silentQuestion(call) : nil
    }

    /// Asks once for the profile; the failure of the one origin that was asked is that of all.
    private func foregroundOfOrigin(_ call: SessionCall) async throws(EntitlementFlowError) {
        do throws(EntitlementFlowError) {
            try await foreground(call)
        } catch .broker(let error) {
            let record = try await record(call)
            throw .noOrigin([OriginFailure(at: currentOrigin(mvpd: nil, in: record), because: error)])
        }
    }

    private static func distinct(_ origins: [BrokerOrigin], or standard: BrokerOrigin) -> [BrokerOrigin] {
        let distinct: [BrokerOrigin] = origins.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        return distinct.isEmpty ? [standard] : distinct
    }
}
#endif
