#if CLI && Client
import ArgumentParser
import BrokerClient
import DeviceRecords
import ServiceResponses

extension ExitCode {
    /// The subscriber is not signed in.
    static let notSignedIn = ExitCode(21)
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
        case let error as BrokerError: CommandFailure(error.code, "\(error)", exitCode: error.exitCode)
        case let error as DeviceRecordsError:
            CommandFailure(error.code, "--state: \(error)", file: options.state, exitCode: error.exitCode)
        default: error
        }
    }
}

extension BrokerError {
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

extension DeviceRecordsError {
    /// The exit code of a command that ends with this error.
    var exitCode: ExitCode {
        switch self {
        case .store, .contended: .undecided
        default: .badConfiguration
        }
    }
}
#endif
