#if CLI && Client
import ArgumentParser
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import MediaTokens
import ServiceResponses
import TextCodecs

extension ExitCode {
    /// The subscriber is not signed in.
    static let notSignedIn = ExitCode(21)
    /// The subscriber may not watch.
    static let denied = ExitCode(22)
    /// The broker takes no more requests at present.
    static let throttled = ExitCode(23)
    /// The application must register anew.
    static let mustRegister = ExitCode(24)
}

extension CommandFailure {
    /// What ended a conversation with the broker; errors of other kinds stay as they are.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - options: The options of the command.
    /// - Returns: What ends the command.
    static func brokerFailure(_ error: any Error, _ options: BrokerOptions) -> any Error {
        switch error {
        case EntitlementFlowError.broker(let error): brokerFailure(error, options)
        case EntitlementFlowError.store(let error): brokerFailure(error, options)
        case let error as EntitlementFlowError:
            CommandFailure(error.code, error.advice, exitCode: error.exitCode)
        case let error as BrokerError: CommandFailure(error.code, error.advice, exitCode: error.exitCode)
        case let error as DeviceRecordsError:
            CommandFailure(error.code, "--state: \(error)", file: options.state, exitCode: error.exitCode)
        default: error
        }
    }
}

extension BrokerError {
    /// What happened and what to do, in the words of the tool.
    fileprivate var advice: String {
        switch self {
        case .refused(let error, _) where error.code?.meaning == .identityMissing:
            "\(description); promotional access needs --identity EMAIL of tve broker login or authorize"
        case .request(.noManagement): "\(description); --management names it"
        default: description
        }
    }

    /// The exit code of a command that ends with this error.
    var exitCode: ExitCode {
        switch self {
        case .request: .usage
        case .throttled, .pollSkipped: .throttled
        case .registration(let refusal): refusal.decision == .registerAnew ? .mustRegister : .badConfiguration
        case .refused(let error, let status):
            if error.action == .authentication {
                .notSignedIn
            } else if error.action == .applicationRegistration {
                .mustRegister
            } else {
                (400..<500).contains(status) ? .badConfiguration : .undecided
            }
        case .store(let error): error.exitCode
        default: .undecided
        }
    }
}

extension EntitlementFlowError {
    /// What happened and what to do, in the words of the tool.
    fileprivate var advice: String {
        switch self {
        case .notAuthenticated: "not signed in; run tve broker login"
        case .codeEnded: "the code ended before the subscriber signed in; run tve broker login again"
        case .superseded:
            "another command or process has begun a sign-in of its own, or signed out; nothing is left to do"
        case .unknownProvider(let mvpd):
            "the requestor has no provider \(mvpd.rawValue.printable); tve broker providers lists them"
        default: description
        }
    }

    /// The exit code of a command that ends with this error.
    var exitCode: ExitCode {
        switch self {
        case .broker(let error): error.exitCode
        case .store(let error): error.exitCode
        case .notAuthenticated, .codeEnded, .superseded: .notSignedIn
        case .unknownProvider, .identityNeeded, .requestorNotSet, .unsupported: .usage
        case .token(.refused(let error)): ExitCode(error.status.exitCode)
        case .token(.mismatch), .token(.tokenWithoutAuthorization), .token(.noToken), .token(.notAuthorized):
            ExitCode(MediaTokenStatus.invalidTokenFormat.exitCode)
        case .noOrigin(let failures): failures.first?.error.exitCode ?? .undecided
        default: .undecided
        }
    }
}
#endif
