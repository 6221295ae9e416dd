#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TextCodecs

extension TestDevice {
    private var base: String { "/api/v2/\(requestor.rawValue)" }
    static let redirect = "https://app.example.com/done"

    /// The fields of calls about a code, which need no device.
    private var codeFields: [String: String] { fields(without: [DeviceIdentifier.name, DeviceInfo.name]) }

    static func form(mvpd: String?, domain: String? = "example.com", redirect: String? = Self.redirect) -> String {
        let fields = [("mvpd", mvpd), ("domainName", domain), ("redirectUrl", redirect)]
        return fields.compactMap { name, value in value.map { "\(name)=\(Percent.encode($0.utf8))" } }
            .joined(separator: "&")
    }

    func configuration() async -> TestAnswer { await get("\(base)/configuration") }

    func startSession(_ form: String) async -> TestAnswer { await post("\(base)/sessions", form) }

    func startSession(with mvpd: String) async throws -> SessionResponse {
        try await startSession(Self.form(mvpd: mvpd)).read()
    }

    func resume(_ code: String, _ form: String) async -> TestAnswer {
        await post("\(base)/sessions/\(code)", form, codeFields)
    }

    func session(_ code: String) async -> TestAnswer { await get("\(base)/sessions/\(code)", codeFields) }

    func browse(_ url: String?) async -> TestAnswer {
        await Self.send(simulator, .get, url ?? "/", [:], "")
    }

    func profiles() async throws -> [Profile] {
        try await get("\(base)/profiles").read(ProfilesResponse.self).profiles
    }

    func profile(with mvpd: String) async -> TestAnswer { await get("\(base)/profiles/\(mvpd)") }

    func profile(ofCode code: String) async -> TestAnswer { await get("\(base)/profiles/code/\(code)", codeFields) }

    func authorize(_ mvpd: String, _ resources: String...) async -> TestAnswer {
        await decisions("authorize", mvpd, resources)
    }

    func preauthorize(_ mvpd: String, _ resources: String...) async -> TestAnswer {
        await decisions("preauthorize", mvpd, resources)
    }

    private func decisions(_ kind: String, _ mvpd: String, _ resources: [String]) async -> TestAnswer {
        let list = JSONText(strings: resources).text
        return await post("\(base)/decisions/\(kind)/\(mvpd)", #"{"resources":\#(list)}"#)
    }

    func logOut(_ mvpd: String) async -> TestAnswer {
        await get("\(base)/logout/\(mvpd)?redirectUrl=\(Percent.encode(Self.redirect.utf8))")
    }

    func startPartnerSession(_ form: String = form(mvpd: nil)) async -> TestAnswer {
        await post("\(base)/sessions/sso/Apple", form)
    }

    func sendPartnerAnswer(_ saml: String) async -> TestAnswer {
        await post("\(base)/profiles/sso/Apple", "SAMLResponse=\(Percent.encode(saml.utf8))")
    }

    /// Signs in with the automatic login.
    func signIn(with mvpd: String = "SampleCable") async throws -> SessionResponse {
        let session = try await startSession(with: mvpd)
        _ = await browse(session.url)
        return session
    }

    /// The only decision of an answer.
    func decision(_ answer: TestAnswer) throws -> Decision? {
        try answer.read(DecisionsResponse.self).decisions.first
    }
}
#endif
