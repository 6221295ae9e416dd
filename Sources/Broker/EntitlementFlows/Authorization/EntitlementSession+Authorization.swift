#if Client
public import EntitlementValues

extension EntitlementSession {
    /// Asks whether the user may watch a resource now, if the user is signed in.
    ///
    /// Ask right before each playback. A permit is good for one; nothing is stored. With
    /// ``EntitlementApplication/verification`` its token is verified, for this requestor, resource and provider, and used
    /// up; without, it is text.
    ///
    /// It tells, in this order: ``SessionEvent/authenticationStatus(_:)``, ``SessionEvent/permitted(_:)`` or
    /// ``SessionEvent/tokenRequestFailed(_:)``, a status if the operator's library had one (`N000`, `Z100`, `Z010` and so
    /// on), and ``SessionEvent/tracking(_:)``.
    ///
    /// If the broker says that the user is not signed in anymore, the record says so from then on. Nothing is tried again
    /// except what the broker says to try again, and no denial signs the user out at the provider.
    ///
    /// - Parameter resource: The resource: a short name, or a channel in MRSS.
    /// - Returns: The decision; never ``AuthorizationOutcome/needsAuthentication(_:pending:)``.
    /// - Throws: `EntitlementFlowError`: `.notAuthenticated`, without a call of the broker, if the user is not signed in as
    ///   far as is known; `.token` and `.redemption` if the token may not be played; `.superseded` if the user was signed
    ///   out or began another sign-in meanwhile.
    public func checkAuthorization(_ resource: ResourceID) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        try await answering(resource) { call in
            do throws(EntitlementFlowError) {
                guard let decider = try await decider(call) else {
                    tell(
                        [.authenticationStatus(.notAuthenticated)]
                            + telling(call.context).refused(.notAuthenticated(resource)), call.context)
                    return .failure(.notAuthenticated)
                }
                return await decision(on: resource, by: decider, call, tellsStatus: true)
            } catch {
                tell(
                    [.authenticationStatus(.failed(error))] + telling(call.context).refused(.failed(resource, error)),
                    call.context)
                return .failure(error)
            }
        }
    }

    /// Asks whether the user may watch a resource now, and lets the user sign in first if need be.
    ///
    /// If the user is signed in, it is the same as ``checkAuthorization(_:)``, without the authentication's status. If not,
    /// or not anymore by the broker's word, a sign-in begins, and the answer holds its first step and the request that
    /// waits for it. One request waits in a session; a newer one takes its place. When the sign-in succeeds, the decision
    /// follows by itself, as the outcome of that request and as event. A sign-in that is cancelled ends the request.
    ///
    /// - Parameter resource: The resource: a short name, or a channel in MRSS.
    /// - Returns: The decision, or the first step of the sign-in.
    /// - Throws: `EntitlementFlowError`, as ``checkAuthorization(_:)`` and `getAuthentication` do.
    public func getAuthorization(_ resource: ResourceID) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        try await answering(resource) { call in
            do throws(EntitlementFlowError) {
                if let decider = try await decider(call) {
                    let answer = await decision(on: resource, by: decider, call, endsWithSignIn: true)
                    guard case .failure(.notAuthenticated) = answer else { return answer }
                }
            } catch {
                tell(telling(call.context).refused(.failed(resource, error)), call.context)
                return .failure(error)
            }
            return await authorizationAfterSignIn(of: resource, call)
        }
    }

    /// Begins a sign-in, after which a request for authorization goes on.
    private func authorizationAfterSignIn(
        of resource: ResourceID,
        _ call: SessionCall
    ) async -> Result<AuthorizationOutcome, EntitlementFlowError> {
        let request = PendingAuthorization(of: resource, in: call.context)
        end(state.wait(for: request), call.context)
        do throws(EntitlementFlowError) {
            let step = try await beginSignIn(call)
            guard case .authenticated = step else { return .success(.needsAuthentication(step, pending: request)) }
            await carryOn(request, call)
            return .success(try await request.outcome())
        } catch {
            if state.pending === request { tellFailure(of: error, ending: request, call.context) }
            // A cancelled sign-in tells nothing and ends nothing by itself.
            end(state.end(request, with: error), call.context)
            return .failure(error)
        }
    }

    /// Decides about a request for authorization after the sign-in that it waited for has succeeded.
    ///
    /// It belongs to the command, or to the wait, that saw the sign-in succeed, and comes after its events.
    func decide(_ request: PendingAuthorization, _ call: SessionCall) async {
        let answer: Result<AuthorizationOutcome, EntitlementFlowError>
        do throws(EntitlementFlowError) {
            if let decider = try await decider(call) {
                answer = await decision(on: request.resource, by: decider, call)
            } else {
                tell(telling(call.context).refused(.notAuthenticated(request.resource)), call.context)
                answer = .failure(.notAuthenticated)
            }
        } catch {
            tell(telling(call.context).refused(.failed(request.resource, error)), call.context)
            answer = .failure(error)
        }
        request.end(with: answer)
    }

    /// Runs a request for authorization in its turn; one that gets no turn is told as a failure.
    private func answering(
        _ resource: ResourceID,
        _ body: (SessionCall) async -> Result<AuthorizationOutcome, EntitlementFlowError>
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        let context = newContext()
        let answer: Result<AuthorizationOutcome, EntitlementFlowError>
        do throws(EntitlementFlowError) {
            answer = try await requestorCommand(in: context) { call throws(EntitlementFlowError) in await body(call) }
        } catch {
            tell(telling(context).refused(.failed(resource, error)), context)
            throw error
        }
        return try answer.get()
    }

    /// Refused: data has no place in requests for authorization; the identity for promotional temporary access is
    /// handed to `getAuthentication`.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func checkAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }

    /// Refused, as ``checkAuthorization(_:data:)``.
    ///
    /// - Parameters:
    ///   - resource: What would be asked for.
    ///   - data: What has no place in the request.
    /// - Returns: Nothing, ever.
    /// - Throws: Always.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func getAuthorization(
        _ resource: ResourceID,
        data: [String: String]
    ) async throws(EntitlementFlowError) -> AuthorizationOutcome { throw .unsupported(.unknownData) }
}
#endif
