#if Client
import BrokerBench
import EntitlementFlows
import TestVectors

/// One step of a walk: what an application does, a user, or the world.
enum WalkStep: Sendable {
    /// The application calls the session, and waits for the end of the call.
    case call(WalkCall)
    /// The application calls the session, and does something else while an answer of the broker is on its way.
    case interrupted(WalkCall, at: Int, by: WalkInterruption)
    /// A task begins to wait for the sign-in.
    case waitBegins
    /// That task is cancelled.
    case waitEnds
    /// The process ends in good order, and another one goes on with the device.
    case restart
    /// The user signs in with the code that was shown last.
    case userSignsIn
    /// The broker forgets all codes.
    case codesEnd
    /// All profiles end at the broker before their time.
    case profilesEnd
    /// One of the next requests of the API at an origin fails: with 0 the next one.
    case fault(WalkFault, after: Int, at: Int)
    /// Another process erases the device, and five seconds pass.
    case erasedElsewhere
    /// Time passes, in seconds.
    case pass(Int64)
}

/// A call of a session.
enum WalkCall: Sendable, Hashable {
    case setRequestor
    case checkAuthentication(StatusSource)
    case getAuthentication
    case forceAuthentication
    case setSelectedProvider(String)
    case cancel
    case handleExternalURL
    case checkAuthorization(String)
    case getAuthorization(String)
    case preauthorize([String])
    case logoutAll
    case logout(String)
    case synchronize
    case selectedProvider
    case authenticationTTL
    case authorizationTTL(String)
    case forgetDevice
}

/// What happens while a call waits for the broker.
enum WalkInterruption: Sendable, CaseIterable {
    /// The task of the call is cancelled.
    case taskIsCancelled
    /// The user gives the sign-in up.
    case cancel
    /// The user signs out.
    case logout
}

/// How a request fails.
enum WalkFault: Sendable, CaseIterable {
    /// The broker never gets it.
    case notSent
    /// The broker acts on it, and the answer is lost.
    case answerLost
    /// There were too many requests.
    case throttled
    /// A proxy answers in the broker's place.
    case serverError
    /// The broker refuses the code of the sign-in, whatever the request is about.
    case codeRefused
}

extension WalkStep {
    static let providers = ["SampleCable", "SampleFiber"]
    /// The provider that stands for temporary access.
    static let trial = "TempPass"
    private static let resources = ["news", "sport", "sim:deny"]

    /// A step by chance; sign-ins are often gone through to the end, so that there is something to sign out of.
    static func random(_ random: inout Noise, with features: SessionWalk.Features) -> [WalkStep] {
        if !features.isEmpty, random.below(5) == 0 { return special(&random, features) }
        let kinds = interruptions(features)
        return switch random.below(24) {
        case 0: [.interrupted(call(&random), at: random.below(2), by: random.element(kinds))]
        case 1: [.interrupted(signIn(&random), at: random.below(2), by: random.element(kinds))]
        case 2, 3: [fault(&random, ofNext: 3, features)]
        case 4: [fault(&random, ofNext: 1, features), .call(call(&random))]
        case 5, 6:
            [.call(signIn(&random)), .userSignsIn, .call(.handleExternalURL), .pass(6), .call(decision(&random))]
        case 7: [.call(signIn(&random)), .waitBegins, .pass(1)]
        case 8:
            [.call(decision(&random)), .call(signIn(&random)), .userSignsIn, .call(.handleExternalURL), .pass(6)]
        case 9:
            [
                .call(.preauthorize(["news", "sport"])), .call(signIn(&random)), .userSignsIn,
                .call(.handleExternalURL), .call(.preauthorize(["sport", "news"])), .waitBegins,
            ]
        case 10: [random.below(2) == 0 ? .waitEnds : .userSignsIn]
        case 11: random.below(3) == 0 ? [.restart] : [.restart, .call(.setRequestor)]
        case 12: [random.below(2) == 0 ? .codesEnd : .profilesEnd]
        case 13, 14: [.pass(random.element([1, 2, 5, 6, 20]))]
        case 15: [.pass(random.element([180, 1790, 1801, 86_400, 31 * 86_400]))]
        default: [.call(call(&random))]
        }
    }

    /// A step of what there is in a walk besides one origin and ordinary sign-ins.
    private static func special(_ random: inout Noise, _ features: SessionWalk.Features) -> [WalkStep] {
        var kinds: [SessionWalk.Features] = [.twoOrigins, .temporaryAccess, .forcedSignIns, .erasures]
        kinds.removeAll { !features.contains($0) }
        return switch random.element(kinds) {
        case .twoOrigins: changeOfOrigins(&random)
        case .temporaryAccess: temporaryAccess(&random)
        case .forcedSignIns: forcedSignIn(&random, features)
        default: random.below(3) == 0 ? [.erasedElsewhere] : [.erasedElsewhere, .call(call(&random))]
        }
    }

    /// The lists get old, or a session begins anew, while one origin fails or both.
    private static func changeOfOrigins(_ random: inout Noise) -> [WalkStep] {
        var faults: [WalkStep] = [.fault(random.element(WalkFault.allCases), after: 0, at: random.below(2))]
        if random.below(2) == 0 {
            faults += [.fault(.notSent, after: 0, at: 0), .fault(.serverError, after: 0, at: 1)]
        }
        return switch random.below(4) {
        case 0: [.pass(180)] + faults + [.call(.getAuthentication)]
        case 1: [.pass(180), .restart, .call(.setRequestor)] + faults + [.call(signIn(&random))]
        case 2: [.call(.logoutAll), .pass(180), .restart] + faults + [.call(.setRequestor), .call(.setRequestor)]
        default: faults + [.call(.logoutAll), .call(.getAuthentication)]
        }
    }

    private static func temporaryAccess(_ random: inout Noise) -> [WalkStep] {
        switch random.below(5) {
        case 0: [.call(.setSelectedProvider(trial)), .call(decision(&random)), .call(decision(&random))]
        case 1: [.call(.setSelectedProvider(trial)), .call(.authenticationTTL), .call(decision(&random))]
        case 2: [.call(.setSelectedProvider(trial)), .call(.preauthorize(["news", "sport"])), .pass(601)]
        case 3: [.call(random.below(2) == 0 ? .logout(trial) : .checkAuthentication(.broker))]
        default: [.call(decision(&random)), .call(.setSelectedProvider(trial)), .call(.synchronize)]
        }
    }

    private static func forcedSignIn(_ random: inout Noise, _ features: SessionWalk.Features) -> [WalkStep] {
        switch random.below(4) {
        case 0: [.call(.forceAuthentication)]
        case 1: [.interrupted(.forceAuthentication, at: random.below(2), by: random.element(interruptions(features)))]
        case 2:
            [
                .call(signIn(&random)), .userSignsIn, .call(.handleExternalURL), .call(.forceAuthentication),
                .call(.handleExternalURL),
            ]
        default: [.call(.forceAuthentication), .call(call(&random)), .call(.handleExternalURL)]
        }
    }

    /// What may happen during a call: with two origins, it is not known how far a question for both lists is when its task
    /// is cancelled.
    private static func interruptions(_ features: SessionWalk.Features) -> [WalkInterruption] {
        features.contains(.twoOrigins) ? [.cancel, .logout] : WalkInterruption.allCases
    }

    /// A failure of one of so many requests that come next.
    private static func fault(
        _ random: inout Noise,
        ofNext count: Int,
        _ features: SessionWalk.Features
    ) -> WalkStep {
        let kind = random.element(WalkFault.allCases)
        let index = count > 1 ? random.below(count) : 0
        return .fault(kind, after: index, at: features.contains(.twoOrigins) ? random.below(2) : 0)
    }

    private static func signIn(_ random: inout Noise) -> WalkCall {
        .setSelectedProvider(random.below(12) == 0 ? "Elsewhere" : random.element(providers))
    }

    private static func decision(_ random: inout Noise) -> WalkCall {
        let resource = random.element(resources)
        return random.below(2) == 0 ? .checkAuthorization(resource) : .getAuthorization(resource)
    }

    private static func call(_ random: inout Noise) -> WalkCall {
        switch random.below(22) {
        case 0: .setRequestor
        case 1: .checkAuthentication(.record)
        case 2: .checkAuthentication(.localOnly)
        case 3: .checkAuthentication(.broker)
        case 4, 5: .getAuthentication
        case 6: signIn(&random)
        case 7: .cancel
        case 8, 9: .handleExternalURL
        case 10...13: decision(&random)
        case 14: .preauthorize([random.element(resources), random.element(resources)])
        case 15: .logoutAll
        case 16: .logout(random.element(providers))
        case 17: .synchronize
        case 18: .selectedProvider
        case 19: .authenticationTTL
        case 20: .authorizationTTL(random.element(resources))
        default: random.below(4) == 0 ? .forgetDevice : .checkAuthentication(.broker)
        }
    }
}
#endif
