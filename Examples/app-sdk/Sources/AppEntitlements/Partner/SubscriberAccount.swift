#if canImport(VideoSubscriberAccount) && canImport(UIKit) && !targetEnvironment(macCatalyst)
public import Foundation
public import UIKit
public import VideoSubscriberAccount

/// The viewer's account in the settings of iOS and tvOS, as the operator's library asked it.
///
/// The app needs the entitlement `com.apple.developer.video-subscriber-single-sign-on`.
@MainActor
public final class SubscriberAccount: NSObject, PartnerFramework {
    /// Shows and closes the views of the account; ``EntitlementClient`` sets it, and calls `presentTvProviderDialog` and
    /// `dismissTvProviderDialog` of its delegate.
    public var present: (@MainActor (UIViewController) -> Void)?
    /// Closes a view that was shown.
    public var dismiss: (@MainActor (UIViewController) -> Void)?

    private let manager = VSAccountManager()

    /// Makes the glue.
    public override init() {
        super.init()
        manager.delegate = self
    }

    /// Says whether the viewer lets the app use the account, and which provider it is at.
    public func status(mayInterrupt: Bool) async -> PartnerStatus? {
        let access = await access(mayAsk: mayInterrupt)
        guard access == .granted else { return PartnerStatus(access) }
        let request = VSAccountMetadataRequest()
        request.includeAccountProviderIdentifier = true
        request.includeAuthenticationExpirationDate = true
        // Permission alone is asked for: the choice of a provider is a question of its own.
        request.isInterruptionAllowed = false
        guard case .success(let found) = await metadata(for: request) else { return PartnerStatus(.granted) }
        return found.status
    }

    /// Puts a question to the account.
    public func ask(_ question: PartnerQuestion) async -> PartnerReply {
        let access = await access(mayAsk: true)
        guard access == .granted else { return .status(PartnerStatus(access)) }
        let request = VSAccountMetadataRequest()
        request.includeAccountProviderIdentifier = true
        request.includeAuthenticationExpirationDate = true
        switch question {
        case .pick(let channel, let supported, let featured):
            request.channelIdentifier = channel
            request.supportedAccountProviderIdentifiers = supported
            request.featuredAccountProviderIdentifiers = featured
            request.isInterruptionAllowed = true
        case .confirm(let channel, let token, let names, let mayInterrupt):
            request.channelIdentifier = channel
            request.verificationToken = token
            request.attributeNames = names
            request.isInterruptionAllowed = mayInterrupt
        }
        return Self.reply(to: question, from: await metadata(for: request))
    }

    /// What of the account's metadata leaves the callback, whose objects stay on its thread.
    fileprivate struct Found: Sendable {
        let status: PartnerStatus
        let response: String?
    }

    /// Why there is no metadata.
    fileprivate enum Failure: Error {
        case cancelled
        case unsupported(String?)
        case refused
        case other
    }

    private static func reply(to question: PartnerQuestion, from result: Result<Found, Failure>) -> PartnerReply {
        switch (result, question) {
        case (.success(let found), .pick): .status(found.status)
        case (.success(let found), .confirm):
            found.response.map { .answer(found.status, response: $0) } ?? .status(found.status)
        case (.failure(.unsupported(let id?)), _): .unsupported(mappingID: id)
        case (.failure(.unsupported(nil)), _): .otherProvider
        case (.failure(.refused), _): .status(PartnerStatus(.denied))
        case (.failure(.cancelled), _): .cancelled
        case (.failure(.other), _): .status(PartnerStatus(.granted))
        }
    }

    private func access(mayAsk: Bool) async -> PartnerStatus.Access {
        await withCheckedContinuation { continuation in
            manager.checkAccessStatus(options: [.prompt: mayAsk]) { @Sendable status, _ in
                let access: PartnerStatus.Access =
                    switch status {
                    case .granted: .granted
                    case .denied: .denied
                    case .restricted: .restricted
                    default: .notDetermined
                    }
                continuation.resume(returning: access)
            }
        }
    }

    private func metadata(for request: VSAccountMetadataRequest) async -> Result<Found, Failure> {
        await withCheckedContinuation { continuation in
            _ = manager.enqueue(request) { @Sendable metadata, error in
                guard let metadata else {
                    continuation.resume(returning: .failure(Failure(error)))
                    return
                }
                let status = PartnerStatus(
                    .granted, provider: metadata.accountProviderIdentifier,
                    expires: metadata.authenticationExpirationDate.map { Int64($0.timeIntervalSince1970 * 1000) })
                continuation.resume(
                    returning: .success(Found(status: status, response: metadata.samlAttributeQueryResponse)))
            }
        }
    }
}

extension SubscriberAccount.Failure {
    fileprivate init(_ error: (any Error)?) {
        guard let error = error as? VSError else {
            self = .other
            return
        }
        self =
            switch error.code {
            case .accessNotGranted: .refused
            case .userCancelled: .cancelled
            case .unsupportedProvider:
                .unsupported(error.userInfo[VSErrorInfoKeyUnsupportedProviderIdentifier] as? String)
            default: .other
            }
    }
}

extension SubscriberAccount: VSAccountManagerDelegate {
    /// The account wants a view to be shown.
    public nonisolated func accountManager(_ accountManager: VSAccountManager, present viewController: UIViewController)
    {
        MainActor.assumeIsolated { present?(viewController) }
    }

    /// The account wants the view to be closed.
    public nonisolated func accountManager(_ accountManager: VSAccountManager, dismiss viewController: UIViewController)
    {
        MainActor.assumeIsolated { dismiss?(viewController) }
    }
}
#endif
