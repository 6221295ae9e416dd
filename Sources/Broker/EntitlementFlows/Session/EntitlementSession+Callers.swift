#if Client
package import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// The origin that answers for a provider: the one that it is pinned to, else the first of the call.
    ///
    /// `mvpd` is `nil` for the provider of the record. Returns one of ``origins``; that of the application's broker if
    /// a requestor is not set.
    func currentOrigin(mvpd: MVPDID?, in record: RequestorRecord) -> BrokerOrigin {
        let mvpd = mvpd ?? record.provider?.id
        if let provider = record.provider, provider.id == mvpd, let text = provider.origin,
            let origin = origins.first(where: { "\($0)" == text })
        {
            return origin
        }
        return mvpd.flatMap { pins[$0] } ?? origins.first ?? application.broker.environment.api
    }

    /// The caller of the broker that answers for a provider; `nil` for that of the record.
    ///
    /// It has all that the record adds: the partner's status, as long as it holds, and the identity of promotional temporary
    /// access.
    func caller(mvpd: MVPDID?, in record: RequestorRecord, _ call: SessionCall) -> Caller {
        var caller = caller(at: currentOrigin(mvpd: mvpd, in: record), call.context)
        caller.partnerStatus = partnerStatus(in: record, call)
        caller.temporaryIdentity = record.identity
        return caller
    }

    /// Where the user's browser comes back to.
    func redirect(_ context: CallContext) -> String { context.options.redirect ?? application.redirect }

    /// What the device's partner said, as long as it holds.
    func partnerStatus(in record: RequestorRecord, _ call: SessionCall) -> PartnerFrameworkStatus? {
        if let status = call.context.options.partnerStatus { return status }
        return record.partner.flatMap { $0.until > application.time.now ? $0.status : nil }
    }

    /// The caller of the broker at an origin, with what the device wants in a call.
    package func caller(at origin: BrokerOrigin, _ context: CallContext) -> Caller {
        let (options, info) = (context.options, context.info)
        let device = info == device.info ? device : Device(key: device.key, identifier: device.identifier, info: info)
        var caller = application.broker(at: origin).caller(device, from: options.clientAddress)
        caller.platformToken = options.platformToken
        caller.serviceToken = options.serviceToken
        caller.visitorIdentifier = options.visitorIdentifier
        callers[origin] = caller
        return caller
    }

    /// Goes on with the identifier that the device's record has.
    func keep(_ identifier: DeviceIdentifier, _ context: CallContext) {
        guard identifier != device.identifier else { return }
        device = Device(key: device.key, identifier: identifier, info: device.info)
        tell([.status(SessionStatus(.deviceChanged, message: "the device's identifier has changed"))], context)
    }
}
#endif
