#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
public import ServiceResponses

extension EntitlementSession {
    /// Answers a question for metadata: of what is kept, as far as it is.
    ///
    /// The broker is asked, with one call, if it never was for this device, or if the user is signed in and the profile is
    /// not known that the question is about. For attributes it is also asked after a permit, with which the provider may
    /// have changed them. What it cannot answer at present because of too many requests is an empty
    /// answer, as it was with the operator's library. Each answer is told as ``SessionEvent/metadata(_:)``, failures as an
    /// empty one.
    ///
    /// Encrypted attributes are decrypted if ``EntitlementApplication/decrypter`` is set. One that no key decrypts, or whose
    /// state is not known, is answered as it came, and ``MetadataAnswer/isEncrypted`` says so.
    ///
    /// - Parameter question: What is asked.
    /// - Returns: The answer; without a value if there is none, for example because the user is not signed in.
    /// - Throws: `EntitlementFlowError`.
    public func metadata(_ question: MetadataQuestion) async throws(EntitlementFlowError) -> MetadataAnswer {
        let context = newContext()
        do throws(EntitlementFlowError) {
            let answer = try await metadataInTurn(question, context)
            tell([.metadata(answer)], context)
            return answer
        } catch .broker(.throttled(_)) {
            let answer = MetadataAnswer(to: question, nil)
            tell([.metadata(answer)], context)
            return answer
        } catch {
            tell([.metadata(MetadataAnswer(to: question, nil))], context)
            throw error
        }
    }

    private func metadataInTurn(
        _ question: MetadataQuestion,
        _ context: CallContext
    ) async throws(EntitlementFlowError) -> MetadataAnswer {
        if case .deviceIdentifier = question {
            let text = context.options.revealsDeviceIdentifier ? device.identifier.text : nil
            return MetadataAnswer(to: question, text.map { .text($0) })
        }
        return try await requestorCommand(in: context) { call throws(EntitlementFlowError) in
            switch question {
            case .deviceIdentifier, .authenticationTTL:
                let end = try await recordWithProfile(call)?.profile?.notAfter
                return MetadataAnswer(to: question, end.map { .instant($0) })
            case .authorizationTTL(let resource):
                let end = try await end(ofDecisionOn: resource, call)
                return MetadataAnswer(to: question, end.map { .instant($0) })
            case .userMetadata(let name):
                guard let record = try await recordWithAttributes(call),
                    let profile = record.profile?.profile
                else { return MetadataAnswer(to: question, nil) }
                return MetadataAnswer(
                    to: question, named: name, from: profile, updated: record.asked ?? profile.notBefore,
                    by: application.decrypter)
            }
        }
    }

    /// The record with the profile of the user who is signed in; `nil` if no user is.
    ///
    /// The broker is asked if it never was, or if only the profile's existence is known.
    func recordWithProfile(_ call: SessionCall) async throws(EntitlementFlowError) -> RequestorRecord? {
        let record = try await record(call)
        switch record.status(at: application.time.now) {
        case .authenticated where record.profile?.profile != nil: return record
        case .authenticated, .unknown:
            let answer = try await refreshProfile(call)
            return answer.signIn == nil ? nil : answer.record
        case .notAuthenticated: return nil
        }
    }

    /// The same with the attributes as they are after the last permit; without an answer of the broker, those that are
    /// known.
    private func recordWithAttributes(
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> RequestorRecord? {
        let known = try await recordWithProfile(call)
        guard known != nil, state.mayHaveNewAttributes else { return known }
        do throws(EntitlementFlowError) {
            let answer = try await refreshProfile(call)
            return answer.signIn == nil ? nil : answer.record
        } catch .broker {
            return known
        }
    }

    /// Until when the provider's last decision on a resource holds; `nil` if none is known that does.
    private func end(
        ofDecisionOn resource: ResourceID,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> Timestamp? {
        let record = try await record(call)
        let now = application.time.now
        guard let signIn = record.signIn(at: now) else { return nil }
        let decisions = record.decisions + access.notedDecisions(call)
        let last = decisions.filter { $0.resource == resource && $0.mvpd == signIn.mvpd }
            .max { $0.decided < $1.decided }
        return last?.notAfter.flatMap { $0 > now ? $0 : nil }
    }
}

extension EntitlementSession {
    /// The profile of the user who is signed in, with all attributes as the broker sent them.
    ///
    /// Encrypted attributes stay encrypted; decrypt what is needed of them with
    /// `UserMetadata.decrypted(with:)`.
    ///
    /// - Parameter source: Where the answer comes from. By default the broker is asked, with one call, only if the profile
    ///   is not known, or if it was never asked for this device, and nothing is told. ``StatusSource/broker`` asks it in
    ///   any case, and events tell what has changed.
    /// - Returns: The profile; `nil` if the user is not signed in, or, for ``StatusSource/localOnly``, if it is not known.
    /// - Throws: `EntitlementFlowError`.
    public func profile(_ source: StatusSource = .record) async throws(EntitlementFlowError) -> Profile? {
        try await requestorCommand { call throws(EntitlementFlowError) in
            switch source {
            case .record: return try await recordWithProfile(call)?.profile?.profile
            case .localOnly:
                let record = try await record(call)
                return record.signIn(at: application.time.now) == nil ? nil : record.profile?.profile
            case .broker:
                let answer = try await foreground(call)
                return answer.signIn == nil ? nil : answer.record.profile?.profile
            }
        }
    }
}
#endif
