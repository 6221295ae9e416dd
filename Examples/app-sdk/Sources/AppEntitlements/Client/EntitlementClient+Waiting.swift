extension EntitlementClient {
    /// How long a long poll waits, in seconds.
    private static let wait = 25
    /// The longest pause between two polls that failed, in seconds.
    private static let longestPause: Int64 = 30

    /// Waits for the end of the sign-in by long polls, so that the app does not ask the broker.
    ///
    /// A poll that was cut says nothing of the sign-in, so it is made again.
    ///
    /// - Parameters:
    ///   - until: When the sign-in ends, in milliseconds since the Unix epoch.
    ///   - mine: The epoch of the sign-in.
    func watchSignIn(until: Int64, _ mine: Int) {
        watch?.cancel()
        watch = Task { [weak self] in
            var pause = Int64(1)
            while let wait = await self?.poll(until: until, mine, pause) {
                pause = wait.isFailure ? min(pause * 2, Self.longestPause) : 1
                guard let sleep = self?.time.sleep, (try? await sleep(wait.pause)) != nil else { return }
            }
        }
    }

    /// What follows a poll that did not end the sign-in.
    private struct NextPoll {
        let pause: Duration
        let isFailure: Bool
    }

    private func poll(until: Int64, _ mine: Int, _ pause: Int64) async -> NextPoll? {
        let began = time.now()
        do throws(GatewayError) {
            let answer = try await ready().send(.signInStatus(waiting: Self.wait))
            guard epoch == mine else { return nil }
            guard answer.code == "pending" else {
                await finish(with: answer)
                return nil
            }
            guard time.now() < until else { throw .refused(.codeEnded) }
            // It answers at once if too many wait already, or if it is about to stop.
            return NextPoll(pause: time.now() - began < 1000 ? .seconds(5) : .zero, isFailure: false)
        } catch {
            guard epoch == mine, error != .cancelled else { return nil }
            guard error.action == .retry, time.now() < until else {
                authenticationFailed(error)
                failPending()
                return nil
            }
            return NextPoll(pause: max(error.retryAfter ?? .zero, .seconds(pause)), isFailure: true)
        }
    }

    /// Tells how the sign-in has ended.
    func finish(with answer: GatewayAnswer) async {
        if answer.code == "authenticated", let mvpd = answer[text: "mvpd"] {
            await signedIn(at: mvpd, until: answer[instant: "until"], events: answer.events, cached: false)
            playPending()
        } else {
            viewer = .signedOut
            await keepViewer()
            switch answer[text: "reason"] {
            // There was no sign-in: the address was that of a logout that an earlier start of the app began.
            case nil: notSignedIn(events: answer.events)
            case "code_ended":
                notSignedIn(OriginalError.genericAuthentication, .authenticationNotFound, events: answer.events)
            default: notSignedIn(OriginalError.genericAuthentication, .authenticationFailed, events: answer.events)
            }
            failPending()
        }
    }
}

extension GatewayRefusal {
    /// The sign-in's code has ended, by this device's clock.
    fileprivate static let codeEnded = GatewayRefusal(410, "code_ended", .signIn)

    private init(_ status: Int, _ code: String, _ action: GatewayAction) {
        (self.status, self.code, self.action) = (status, code, action)
        (detail, message, links, retryAfter, events) = ("", nil, [], nil, [])
    }
}
