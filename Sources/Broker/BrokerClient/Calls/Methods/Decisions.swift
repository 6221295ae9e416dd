#if Client
import BrokerMessages
public import EntitlementValues
import ServiceResponses
import TextCodecs

extension Caller {
    /// Asks whether the user may watch resources now, and for the media tokens that start playback.
    ///
    /// Ask right before each playback, whatever a preauthorization said, and verify the token before the stream starts.
    /// Resources that the broker says to try again are asked for again, and only those. Under temporary access nothing is
    /// asked for twice, since a second decision could use up its budget.
    ///
    /// - Parameters:
    ///   - resources: What the user wants to watch; usually one. White space around a resource does not tell it from
    ///     another.
    ///   - mvpd: The provider.
    ///   - requestor: The brand.
    ///   - isTemporary: Whether the provider stands for temporary access. A caller with an identity always counts as that.
    ///   - groupSize: The most resources in one request; the broker usually takes one.
    ///   - timeLimit: How long all requests may take together; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The decisions. A user who is not signed in is a decision with an error, however the broker says it.
    ///   If a request after the first failed, what came before is returned with its ``ResourceDecisions/failure``.
    /// - Throws: `BrokerError` if the first request failed, or if the task was cancelled; `unreadable` if a decision is
    ///   about another brand or provider.
    public func authorize(
        _ resources: [ResourceID],
        mvpd: MVPDID,
        requestor: RequestorID,
        isTemporary: Bool = false,
        groupSize: Int = 1,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ResourceDecisions {
        let question = DecisionQuestion(
            endpoint: .authorize, mvpd: mvpd, requestor: requestor, groupSize: groupSize,
            isTemporary: isTemporary || temporaryIdentity != nil)
        return try await decisions(about: resources, question, timeLimit: timeLimit)
    }

    /// Asks what the user would be allowed to watch, to mark it in a list.
    ///
    /// It never replaces ``authorize(_:mvpd:requestor:isTemporary:groupSize:timeLimit:)`` before playback.
    ///
    /// - Parameters:
    ///   - resources: What is in the list. White space around a resource does not tell it from another.
    ///   - mvpd: The provider.
    ///   - requestor: The brand.
    ///   - isTemporary: Whether the provider stands for temporary access. A caller with an identity always counts as that.
    ///   - groupSize: The most resources in one request; the broker usually takes five. If it takes fewer, its decisions
    ///     have the error `EnhancedErrorCode.tooManyResources`, or are missing.
    ///   - timeLimit: How long all requests may take together; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The decisions. A user who is not signed in is a decision with an error, however the broker says it.
    ///   If a request after the first failed, what came before is returned with its ``ResourceDecisions/failure``.
    /// - Throws: `BrokerError` if the first request failed, or if the task was cancelled; `unreadable` if a decision is
    ///   about another brand or provider.
    public func preauthorize(
        _ resources: [ResourceID],
        mvpd: MVPDID,
        requestor: RequestorID,
        isTemporary: Bool = false,
        groupSize: Int = 5,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ResourceDecisions {
        let question = DecisionQuestion(
            endpoint: .preauthorize, mvpd: mvpd, requestor: requestor, groupSize: groupSize,
            isTemporary: isTemporary || temporaryIdentity != nil)
        return try await decisions(about: resources, question, timeLimit: timeLimit)
    }

    /// Asks for decisions, one request after the other, within one time limit.
    private func decisions(
        about resources: [ResourceID],
        _ question: DecisionQuestion,
        timeLimit: Duration?
    ) async throws(BrokerError) -> ResourceDecisions {
        guard !resources.isEmpty else { throw .request(.noResources) }
        guard question.groupSize > 0 else { throw .request(.badGroupSize) }
        let time = broker.time
        let deadline = time.uptime + (timeLimit ?? broker.settings.timeLimit)
        var all = ResourceDecisions(asking: resources)
        var client: ClientCredentials?
        for start in stride(from: 0, to: all.resources.count, by: question.groupSize) {
            let group = Array(all.resources[start...].prefix(question.groupSize))
            do throws(BrokerError) {
                let decisions = try await decisions(
                    inOneRequest: group, question, timeLimit: deadline - time.uptime, as: &client)
                all.take(decisions)
            } catch .refused(let error, _) where error.isVerdict {
                var refused = ResourceDecisions(asking: group)
                refused.refuseAll(with: error, requestor: question.requestor, mvpd: question.mvpd)
                all.take(refused)
            } catch {
                // Answers with tokens can be used once only, and must not be lost with those that did not come.
                guard start > 0, error != .cancelled else { throw error }
                all.failure = error
                break
            }
        }
        return all
    }

    /// Asks for decisions in one request, and again for those that the broker says to try again.
    private func decisions(
        inOneRequest resources: [ResourceID],
        _ question: DecisionQuestion,
        timeLimit: Duration,
        as client: inout ClientCredentials?
    ) async throws(BrokerError) -> ResourceDecisions {
        let first = try call(about: resources, question)
        return try await running(question.endpoint, timeLimit: timeLimit, as: &client) {
            (run: inout CallRun) async throws(BrokerError) in
            var decisions = try await run.answer(to: first, with: self)
            while !question.isTemporary, !decisions.failed.isEmpty, try await run.pauseForItems() {
                do throws(BrokerError) {
                    let again = try call(about: decisions.failed, question)
                    decisions.take(try await run.answer(to: again, with: self))
                } catch {
                    if case .cancelled = error { throw error }
                    // The other items have their answer, and these keep the error that they have.
                    break
                }
            }
            return decisions
        }
    }

    /// Describes one request for decisions.
    private func call(
        about resources: [ResourceID],
        _ question: DecisionQuestion
    ) throws(BrokerError) -> BrokerCall<ResourceDecisions> {
        let form = RequestForm(
            path: [.requestor: question.requestor.rawValue, .mvpd: question.mvpd.rawValue],
            body: DecisionsRequest(resources: resources))
        let request = try broker.request(question.endpoint, form, known: KnownFields(of: self))
        return BrokerCall(
            question.endpoint, request, body: form.body,
            repetition: question.isTemporary ? .ifUnsent : nil
        ) { (answer) throws(BrokerError) in
            let response = try DecisionsResponse(reading: answer)
            // Only a media token is signed, and a preauthorization has none: what the broker says is all there is.
            guard response.decisions.allSatisfy(question.isAnswered) else {
                throw .unreadable(UnreadableAnswer(answer, fault: .otherThanAsked(.root + "decisions")))
            }
            var decisions = ResourceDecisions(asking: resources)
            decisions.take(response, haveTokens: question.endpoint == .authorize)
            return decisions
        }
    }
}

/// What is the same in all requests of one call for decisions.
private struct DecisionQuestion: Sendable {
    let endpoint: BrokerEndpoint
    let mvpd: MVPDID
    let requestor: RequestorID
    let groupSize: Int
    /// Whether the answer may use up the budget of temporary access, so that nothing is asked for twice.
    let isTemporary: Bool

    /// Whether a decision is about the brand and the provider of the question.
    func isAnswered(by decision: Decision) -> Bool {
        decision.serviceProvider.means(requestor) && decision.mvpd.means(mvpd)
    }
}
#endif
