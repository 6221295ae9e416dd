#if CLI
import ArgumentParser
import BrokerMessages
import DeviceRecords
import EntitlementKeys
import HostSystem
import MediaRSS
import MediaTokens
import MetadataDecryption
import OpenSSLBridge
import PlaybackSessions
import RequestorSigning
import SQLiteStores
import SealedRecords
import ServiceResponses
import StoreAddresses
import TVETesting
import TextCodecs
import TokenLifetimes
#if Client
import BrokerClient
import EntitlementFlows
import EntitlementValues
#endif
#if Service
import BrokerSimulation
import TVEService
#endif

extension ExitCode {
    /// Rows of a batch failed, and that was to be told.
    static let failedRows = ExitCode(2)
    /// A resource is not MRSS.
    static let notMediaRSS = ExitCode(2)
    /// No trusted key made the signature; the same as for a media token.
    static let invalidSignature = ExitCode(11)
    /// The same as for a media token.
    static let expired = ExitCode(12)
    /// The same as for a media token.
    static let notYetValid = ExitCode(13)
    /// Nothing is recorded, or what was recorded is invalid by now.
    static let unknownEntitlement = ExitCode(17)
    /// The store has no such device; the same as for an entitlement.
    static let unknownDevice = ExitCode(17)
    /// The ledger is bound to another device, or does not allow the issuer.
    static let refusedByLedger = ExitCode(18)
    /// A value could not be decrypted.
    static let undecryptable = ExitCode(20)
    /// The subscriber is not signed in.
    static let notSignedIn = ExitCode(21)
    /// The subscriber may not watch.
    static let denied = ExitCode(22)
    /// The broker takes no more requests at present.
    static let throttled = ExitCode(23)
    /// The application must register anew.
    static let mustRegister = ExitCode(24)
    /// The command line itself is wrong (EX_USAGE).
    static let usage = ExitCode(64)
    /// An input file is not what it should be (EX_DATAERR).
    static let badInput = ExitCode(65)
    /// An input file does not exist (EX_NOINPUT).
    static let noInput = ExitCode(66)
    /// No decision could be made (EX_UNAVAILABLE).
    static let undecided = ExitCode(69)
    /// Reading or writing failed (EX_IOERR).
    static let io = ExitCode(74)
    /// A key or the configuration is bad (EX_CONFIG).
    static let badConfiguration = ExitCode(78)
}

/// An error of the libraries that ends a command, with the same exit code wherever it comes from.
///
/// ``CommandFailure`` makes a failure of it, at the edge of the tool or where an option is known that is at fault.
protocol CommandEnding: Error, CustomStringConvertible {
    /// Names the error, for programs.
    var code: String { get }
    var ending: ExitCode { get }
    /// The file at fault, if the error knows it.
    var namedFile: String? { get }
    /// What happened and what to do, in the words of the tool.
    func detail(naming option: String?) -> String
}

extension CommandEnding {
    var namedFile: String? { nil }
    func detail(naming option: String?) -> String { option.map { "\($0): \(self)" } ?? "\(self)" }
}

// MARK: Keys, values and tokens

extension KeyError: CommandEnding {
    var ending: ExitCode {
        switch self {
        case .noSuchFile: .noInput
        case .undecided: .undecided
        default: .badConfiguration
        }
    }
    var namedFile: String? { file }
    /// It begins with the file, whichever option named it, or with the option if the file is not shown.
    func detail(naming option: String?) -> String {
        if case .passwordRequired = self { return "\(self) (--password-file FILE)" }
        return file == Files.notShown ? [option, description].compactMap(\.self).joined(separator: ": ") : description
    }
}

extension SecretFileFailure: CommandEnding {
    var code: String {
        switch self {
        case .unreadable: "unreadable_key"
        case .keyTooSmall: "key_too_small"
        }
    }
    var ending: ExitCode { .badConfiguration }
}

extension RequestorSigningError: CommandEnding {
    var ending: ExitCode { if case .undecided = self { .undecided } else { .usage } }
    func detail(naming option: String?) -> String {
        // It begins with the file.
        if case .unreadableSecret = self { return description }
        return option.map { "\($0): \(self)" } ?? description
    }
}

extension MetadataDecryptionError: CommandEnding {
    var ending: ExitCode { if case .undecided = self { .undecided } else { .undecryptable } }
}

extension OpenSSLFailure: CommandEnding {
    var code: String { "internal" }
    var ending: ExitCode { .undecided }
}

extension TestIssuerError: CommandEnding {
    var code: String { "internal" }
    var ending: ExitCode { .undecided }
}

extension EntitlementTokenError: CommandEnding {
    var ending: ExitCode { ExitCode(exitCode) }
    var namedFile: String? { "-" }
}

extension ServiceResponseError: CommandEnding {
    var ending: ExitCode { ExitCode(MediaTokenStatus.invalidTokenFormat.exitCode) }
    var namedFile: String? { "-" }
}

extension MediaRSSError: CommandEnding {
    var ending: ExitCode { .notMediaRSS }
}

extension PlaybackSessionError: CommandEnding {
    var ending: ExitCode {
        switch self {
        case .unusableKey, .noKeys, .cannotSign: .badConfiguration
        case .unsuitable, .tooLarge: .usage
        default: .undecided
        }
    }
}

// MARK: Stores

extension SQLiteStoreError: CommandEnding {
    var ending: ExitCode { isTransient ? .undecided : .badConfiguration }
    var namedFile: String? { path }
}

extension ReplayStoreOpeningError: CommandEnding {
    var ending: ExitCode { isTransient ? .undecided : .badConfiguration }
    var namedFile: String? { file }
}

extension LedgerError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}

extension SealingError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}

extension DeviceRecordsError: CommandEnding {
    var ending: ExitCode {
        switch self {
        case .store, .contended: .undecided
        default: .badConfiguration
        }
    }
    func detail(naming option: String?) -> String { "\(option ?? "--store"): \(self)" }
}

// MARK: The broker

extension BrokerHeaderError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}

extension BrokerRequestError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}

#if Client
extension BrokerSettingsError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}

extension BrokerError: CommandEnding {
    var ending: ExitCode {
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
        case .store(let error): error.ending
        default: .undecided
        }
    }
    func detail(naming option: String?) -> String {
        switch self {
        case .refused(let error, _) where error.code?.meaning == .identityMissing:
            "\(description); promotional access needs --identity EMAIL of tve broker login or authorize"
        case .request(.noManagement): "\(description); --management names it"
        case .registration(let refusal) where refusal.isOfResets: "\(description); --statement names its file"
        default: description
        }
    }
}

extension EntitlementFlowError: CommandEnding {
    var ending: ExitCode {
        switch self {
        case .broker(let error): error.ending
        case .store(let error): error.ending
        case .notAuthenticated, .codeEnded, .superseded: .notSignedIn
        case .unknownProvider, .identityNeeded, .requestorNotSet, .unsupported: .usage
        case .token(.refused(let error)): ExitCode(error.status.exitCode)
        case .token(.mismatch), .token(.tokenWithoutAuthorization), .token(.noToken), .token(.notAuthorized):
            ExitCode(MediaTokenStatus.invalidTokenFormat.exitCode)
        case .noOrigin(let failures): failures.first?.error.ending ?? .undecided
        default: .undecided
        }
    }
    func detail(naming option: String?) -> String {
        switch self {
        case .broker(let error): error.detail(naming: option)
        case .store(let error): error.detail(naming: option)
        case .notAuthenticated: "not signed in; run tve broker login"
        case .codeEnded: "the code ended before the subscriber signed in; run tve broker login again"
        case .superseded:
            "another command or process has begun a sign-in of its own, or signed out; nothing is left to do"
        case .unknownProvider(let mvpd):
            "the requestor has no provider \(mvpd.rawValue.printable); tve broker providers lists them"
        default: description
        }
    }
}
#endif

#if Service
extension SimulationError: CommandEnding {
    var ending: ExitCode { if case .inaccessible = self { .io } else { .badConfiguration } }
}

extension SimulationServiceError: CommandEnding {
    var ending: ExitCode { .badConfiguration }
}
#endif
#endif
