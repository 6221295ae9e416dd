#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// The origin that answers for a provider: the one that it is pinned to, else the first of the call.
    ///
    /// - Parameters:
    ///   - mvpd: The provider; `nil` for the one of the record.
    ///   - record: What the device's record holds for the requestor.
    /// - Returns: One of ``origins``; that of the application's broker if a requestor is not set.
    func currentOrigin(mvpd: MVPDID?, in record: RequestorRecord) -> BrokerOrigin {
        let mvpd = mvpd ?? record.provider?.id
        if let provider = record.provider, provider.id == mvpd, let text = provider.origin,
            let origin = origins.first(where: { "\($0)" == text })
        {
            return origin
        }
        return mvpd.flatMap { pins[$0] } ?? origins.first ?? application.broker.environment.api
    }

    /// The broker that answers for a provider, and who calls it.
    ///
    /// - Parameters:
    ///   - mvpd: The provider; `nil` for the one of the record.
    ///   - record: What the device's record holds for the requestor.
    /// - Returns: The broker; the caller with all that the record adds: the partner's status, as long as it holds, and
    ///   the identity of promotional temporary access.
    func call(mvpd: MVPDID?, in record: RequestorRecord) -> (broker: Broker, caller: Caller) {
        let origin = currentOrigin(mvpd: mvpd, in: record)
        var caller = caller(at: origin)
        caller.partnerStatus = partnerStatus(in: record)
        caller.temporaryIdentity = record.identity
        return (application.broker(at: origin), caller)
    }

    /// Where the user's browser comes back to.
    var redirect: String { options.redirect ?? application.redirect }

    /// What the device's partner said, as long as it holds.
    func partnerStatus(in record: RequestorRecord) -> PartnerFrameworkStatus? {
        if let status = options.partnerStatus { return status }
        return record.partner.flatMap { $0.until > application.time.now ? $0.status : nil }
    }

    /// Who calls the broker at an origin: with the options of now.
    func caller(at origin: BrokerOrigin) -> Caller {
        let registration: ClientRegistration
        if let known = registrations[origin] {
            registration = known
        } else {
            registration = ClientRegistration(
                with: application.broker(at: origin), statement: application.statement, device: device,
                store: application.directory, application: application.name)
            registrations[origin] = registration
        }
        return Caller(
            registration: registration, device: device, clientAddress: options.clientAddress,
            platformToken: options.platformToken, serviceToken: options.serviceToken,
            visitorIdentifier: options.visitorIdentifier)
    }

    /// Goes on with the identifier that the device's record has.
    func keep(_ identifier: DeviceIdentifier) {
        guard identifier != device.identifier else { return }
        device = Device(key: device.key, identifier: identifier, info: device.info)
        registrations = [:]
        tell(.status(SessionStatus(.deviceChanged, message: "the device's identifier has changed")))
    }
}
#endif
