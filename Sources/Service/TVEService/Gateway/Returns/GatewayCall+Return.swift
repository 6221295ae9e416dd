#if Service
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Hummingbird
import SealedRecords
import TextCodecs

extension GatewayCall {
    /// `GET /v1/return/{state}`: a user's browser comes back from a provider's login or logout.
    ///
    /// Whether the user has signed in, the broker says, who is asked at once; the address says nothing of it.
    func showReturn() async throws -> Response {
        let known = BrowserCookie.returned.value(in: request).flatMap { $0.isState ? $0 : nil }
        let mark = try known ?? newMark()
        var response: Response
        do {
            response = try await answerReturn(of: mark, isKnown: known != nil)
        } catch {
            guard let refusal = GatewayRefusal(any: error) else { throw error }
            response = GatewayPage(.tryAgain).response(status: refusal.status)
        }
        response.headers.append(BrowserCookie.returned.setting(mark))
        return response
    }

    /// The mark of a browser that has none yet.
    ///
    /// If the answer is lost with its cookie, because this process is killed, a proxy repeats the request at another
    /// replica. So the mark is made of the connection, which is the same one then: of the browser's address and port,
    /// as the trusted proxy states them, and of what the browser calls itself. Without the port it is random.
    private func newMark() throws(GatewayRefusal) -> String {
        guard let port = client.port else { return try SignInDesk.randomText() }
        let connection = "\(path.parameter ?? "") \(client.address.text) \(port) \(request.headers[.userAgent] ?? "")"
        do throws(SealingError) {
            let key = try gateway.sealer.key(of: connection, for: .browserMark)
            return Base64.encodeURLSafe(Array(key.bytes.prefix(16)))
        } catch {
            throw .cryptography
        }
    }

    private func answerReturn(of mark: String, isKnown: Bool) async throws -> Response {
        try await gateway.checkKeys()
        guard let state = path.parameter, state.isState,
            let device = try await gateway.devices.record(ofState: state), gateway.apps[device.app] != nil
        else { return GatewayPage(.ended).response(status: .notFound) }
        guard !device.isForgotten else { return GatewayPage(.ended).response(status: .gone) }
        let browser = ReturningBrowser(
            isDevice: isBrowser(of: device), mark: mark, isMarked: isKnown,
            confirmed: BrowserCookie.confirmed.value(in: request))
        let desk = try SignInDesk(of: device, in: self)
        return Self.response(try await desk.take(browser, at: state, of: device.signIns))
    }

    /// Whether the browser has the cookie of a device.
    private func isBrowser(of device: GatewayDevice) -> Bool {
        guard let text = DeviceCookie.token(in: request), let token = try? gateway.tokens.open(text, at: now) else {
            return false
        }
        return token.key == device.key && device.accepts(token)
    }

    private static func response(_ found: BrowserReturn) -> Response {
        switch found {
        case .done(let address?), .signedOut(let address?): redirect(to: address)
        case .handOver(let code, let address): redirect(to: address.adding(returned: code))
        case .done(nil): GatewayPage(.goBack).response()
        case .signedOut(nil): GatewayPage(.signedOut).response()
        case .activated(let device): GatewayPage(.activated(device)).response()
        case .notSignedIn(let device): GatewayPage(.notSignedIn(device)).response()
        case .ended: GatewayPage(.ended).response(status: .gone)
        }
    }

    /// Sends a browser on; the address that it came to is told to no other site.
    static func redirect(to address: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: address, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }
}

extension RecordPurpose {
    /// Marks of browsers that came back without one.
    fileprivate static let browserMark: RecordPurpose = "gateway-browser"
}

extension String {
    /// Whether the text has the form of what ``SignInDesk/randomText()`` draws.
    var isState: Bool { utf8.count == 22 && utf8.allSatisfy(\.isURLSafe) }

    /// The address with the one-time code in its query, before a fragment.
    fileprivate func adding(returned code: String) -> String {
        let base = prefix { $0 != "#" }
        let mark = base.contains("?") ? (base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&") : "?"
        return "\(base)\(mark)returned=\(code)\(dropFirst(base.count))"
    }
}
#endif
