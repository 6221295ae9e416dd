#if Client
import BrokerMessages
import EntitlementValues
import MediaTokens
import TextCodecs

extension SimulatorSite {
    /// `POST /sim/profiles`: signs a user in on a device without a browser.
    func grantProfile(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let (mvpd, client, device, user) = try visit.read(["mvpd", "client", "device", "user"]) {
            (object, text) throws(JSONFault) in
            (
                MVPDID(try object.requiredIdentifier("mvpd", in: text)),
                try object.requiredIdentifier("client", in: text),
                try object.requiredIdentifier("device", in: text), try object.identifier("user", in: text) ?? "ok"
            )
        }
        try rethrowing(
            simulator.grantProfile(of: mvpd, client: client, device: device, user: user), as: SiteFault.refused)
        return .done
    }

    /// `POST /sim/media-tokens`: a token for tests of a back end.
    func mintMediaToken(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let order = try visit.read(["requestor", "resource", "mvpd", "user", "defect"]) {
            (object, text) throws(JSONFault) in
            let defect: MediaTokenDefect? = try object.word("defect", text)
            return (
                requestor: RequestorID(try object.requiredIdentifier("requestor", in: text)),
                resource: ResourceID(try object.requiredIdentifier("resource", in: text)),
                mvpd: MVPDID(try object.requiredIdentifier("mvpd", in: text)),
                user: try object.identifier("user", in: text) ?? "ok", defect: defect
            )
        }
        let token = try rethrowing(
            simulator.mintMediaToken(
                for: order.requestor, resource: order.resource, mvpd: order.mvpd, user: order.user,
                defect: order.defect),
            as: SiteFault.refused)
        var object = JSONWriter()
        object.member("serializedToken", token)
        if let defect = order.defect { object.member("expectedStatus", defect.expectedStatus.rawValue) }
        return .control(object, status: 201)
    }

    /// `POST /sim/expire`: ends all things of a kind.
    func expire(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let what = try visit.read(["what"]) { (object, text) throws(JSONFault) in
            let what: BrokerSimulator.Expirable? = try object.word("what", text)
            return try object.required("what", what)
        }
        simulator.expire(what)
        return .done
    }

    /// `POST /sim/revoke`: ends the credentials of one `client`, or of all that were made with a `statement`.
    func revoke(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let (client, statement) = try visit.read(["client", "statement"]) { (object, text) throws(JSONFault) in
            (try object.identifier("client", in: text), try object.identifier("statement", in: text))
        }
        guard (client == nil) != (statement == nil) else { throw .badRequest("give client or statement, and one only") }
        if let client { try rethrowing(simulator.revoke(client: client), as: SiteFault.refused) }
        if let statement { try rethrowing(simulator.revoke(statement: statement), as: SiteFault.refused) }
        return .done
    }

    /// `POST /sim/partner`: what the sign-on of a device's platform would say.
    ///
    /// `verificationToken` is the broker's request, `authenticationRequest.request`; without it no answer is made for
    /// the broker, only the status for the header. `outcome` tells apart what has the same status: another provider, an
    /// unsupported one (whose id the device knows), and a closed picker.
    func askPartner(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let (framework, request) = try visit.read(["user", "permission", "mappingId", "verificationToken"]) {
            (object, text) throws(JSONFault) in
            let choice: PartnerFramework.Choice? = try object.word("permission", text)
            let framework = PartnerFramework(
                user: try object.identifier("user", in: text) ?? "ok",
                mappingID: try object.requiredIdentifier("mappingId", in: text), choice: choice ?? .granted)
            return (framework, try object.identifier("verificationToken", in: text))
        }
        guard simulator.world.user(framework.user) != nil else { throw .refused(.unknownUser(framework.user)) }
        var object = JSONWriter()
        object.member("outcome", framework.choice.rawValue)
        if framework.choice == .unsupported { object.member("mappingId", framework.mappingID) }
        let status = try rethrowing(framework.status(at: simulator.now)) { (error: BrokerHeaderError) in
            SiteFault.badRequest("mappingId cannot be sent in a header field: \(error.code)")
        }
        object.member("status", status.headerValue)
        if let request, framework.choice == .granted {
            guard let response = framework.samlResponse(to: request) else {
                throw .badRequest("verificationToken is not a request of this simulator")
            }
            object.member("samlResponse", response)
        }
        return .control(object)
    }
}
#endif
