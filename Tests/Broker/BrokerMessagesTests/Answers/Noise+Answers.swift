import BrokerMessages
import EntitlementValues
import MetadataDecryption
import ServiceResponses
import TestVectors

/// Makes random answers.
extension Noise {
    // MARK: Parts

    mutating func bool() -> Bool { Bool.random(using: &self) }

    /// Nothing, or a value.
    mutating func maybe<Value>(_ make: (inout Noise) -> Value) -> Value? { bool() ? make(&self) : nil }

    mutating func some<Value>(upTo count: Int, _ make: (inout Noise) -> Value) -> [Value] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in make(&self) }
    }

    /// A text with what JSON has to escape, and with what readers confuse.
    mutating func text() -> String {
        let pieces = [
            "a", "Z9", " ", "\"", "\\", "/", "\u{0}", "\n", "\r\n", "\u{7F}", "\u{85}", "\u{2028}", "é", "e\u{301}",
            "許可", "😀", "{", "]", "null", "\u{FEFF}", "\u{202E}", "https://example.com/?a=1&b=%20",
        ]
        return some(upTo: 5) { pieces.randomElement(using: &$0) ?? "" }.joined()
    }

    /// A text with something in it.
    mutating func name() -> String { "n" + text() }

    mutating func instant() -> Timestamp {
        let plausible = Timestamp.firstPlausible.milliseconds...Timestamp.lastPlausible.milliseconds
        return Timestamp(milliseconds: Int64.random(in: plausible, using: &self))
    }

    /// Members whose names no definition has, each with another name.
    mutating func unknown() -> [JSONField] {
        let values = ["null", "1.50", "-0", "[1,{\"a\":[]}]", "{}", "\"\\u00e9\"", "true", "1e400"]
        return (0..<Int.random(in: 0...2, using: &self)).map { number in
            let value = JSONText(parsing: values.randomElement(using: &self) ?? "{}") ?? JSONText(string: "")
            return JSONField(name: "x\(number)" + text(), value: value)
        }
    }

    // MARK: Answers

    mutating func configuration() -> ConfigurationResponse {
        ConfigurationResponse(
            requestor: RequestorConfiguration(
                id: RequestorID(name()), name: maybe { $0.text() },
                domains: some(upTo: 3) {
                    ConfiguredDomain(
                        name: $0.name(), isMVPDInitiated: $0.maybe { $0.bool() }, unknownFields: $0.unknown())
                },
                mvpds: some(upTo: 4) { $0.mvpd() }, unknownFields: unknown()),
            unknownFields: unknown())
    }

    mutating func mvpd() -> MVPD {
        MVPD(
            id: MVPDID(name()), displayName: maybe { $0.text() }, logoURL: maybe { $0.text() },
            isTemporaryAccess: maybe { $0.bool() }, isProxy: maybe { $0.bool() },
            boardingStatus: maybe { BoardingStatus($0.text()) }, platformMappingID: maybe { $0.text() },
            enablesPlatformServices: maybe { $0.bool() }, appearsInPlatformPicker: maybe { $0.bool() },
            enforcesPlatformPermissions: maybe { $0.bool() }, authenticatesPerAggregator: maybe { $0.bool() },
            allowsPassiveAuthentication: maybe { $0.bool() }, authenticatesPerBrowserSession: maybe { $0.bool() },
            unknownFields: unknown())
    }

    mutating func session() -> SessionResponse {
        SessionResponse(
            actionName: SessionAction(name()), actionType: ActionType(name()), reason: SessionReason(text()),
            sessionID: SessionID(name()), serviceProvider: RequestorID(name()), url: maybe { $0.text() },
            code: maybe { AuthenticationCode($0.name()) }, mvpd: maybe { MVPDID($0.name()) },
            missingParameters: some(upTo: 3) { MissingParameter($0.text()) }, notBefore: maybe { $0.instant() },
            notAfter: maybe { $0.instant() },
            authenticationRequest: maybe {
                PartnerAuthenticationRequest(
                    type: $0.name(), request: $0.name(), attributeNames: $0.some(upTo: 3) { $0.text() },
                    unknownFields: $0.unknown())
            },
            unknownFields: unknown())
    }

    mutating func status() -> SessionStatusResponse {
        SessionStatusResponse(
            existingParameters: SessionParameters(
                serviceProvider: RequestorID(name()), mvpd: maybe { MVPDID($0.name()) }, domain: maybe { $0.text() },
                redirectURL: maybe { $0.text() }, unknownFields: unknown()),
            missingParameters: some(upTo: 3) { MissingParameter($0.text()) }, device: maybe { $0.device() },
            notBefore: maybe { $0.instant() }, notAfter: maybe { $0.instant() }, unknownFields: unknown())
    }

    mutating func device() -> SessionDevice {
        SessionDevice(
            type: maybe { $0.text() }, model: maybe { $0.text() }, version: maybe { $0.version() },
            hardware: maybe { $0.component() }, operatingSystem: maybe { $0.component() },
            browser: maybe { $0.component() }, display: maybe { $0.component() },
            applicationID: maybe { $0.text() },
            connection: maybe {
                DeviceConnection(
                    address: $0.maybe { $0.text() }, port: $0.maybe { Int64($0.next() & 0xFFFF) },
                    isSecure: $0.maybe { $0.bool() }, type: $0.maybe { $0.text() }, unknownFields: $0.unknown())
            },
            unknownFields: unknown())
    }

    mutating func component() -> DeviceComponent {
        DeviceComponent(
            name: maybe { $0.text() }, family: maybe { $0.text() }, vendor: maybe { $0.text() },
            manufacturer: maybe { $0.text() }, version: maybe { $0.version() }, unknownFields: unknown())
    }

    mutating func version() -> DeviceVersion {
        DeviceVersion(
            major: maybe { Int64(bitPattern: $0.next()) }, minor: maybe { Int64(bitPattern: $0.next()) },
            patch: maybe { Int64($0.next() & 0xFF) }, profile: maybe { $0.text() }, unknownFields: unknown())
    }

    mutating func logout() -> LogoutResponse {
        let steps = (0..<Int.random(in: 0...4, using: &self)).map { number in
            LogoutStep(
                key: MVPDID("\(number)" + text()), mvpd: maybe { MVPDID($0.name()) },
                actionName: LogoutAction(name()), actionType: ActionType(name()), url: maybe { $0.text() },
                unknownFields: unknown())
        }
        return LogoutResponse(logouts: steps, unknownFields: unknown())
    }

    mutating func error() -> EnhancedError {
        EnhancedError(
            action: maybe { EnhancedErrorAction($0.text()) }, status: maybe { Int.random(in: 100...999, using: &$0) },
            code: EnhancedErrorCode(text()), message: maybe { $0.text() }, details: maybe { $0.text() },
            helpURL: maybe { $0.text() }, trace: maybe { $0.text() }, unknownFields: unknown())
    }
}

// MARK: By type

extension ConfigurationResponse {
    static func made(by noise: inout Noise) -> Self { noise.configuration() }
}

extension SessionResponse {
    static func made(by noise: inout Noise) -> Self { noise.session() }
}

extension SessionStatusResponse {
    static func made(by noise: inout Noise) -> Self { noise.status() }
}

extension LogoutResponse {
    static func made(by noise: inout Noise) -> Self { noise.logout() }
}

extension EnhancedError {
    static func made(by noise: inout Noise) -> Self { noise.error() }
}

extension ProfilesResponse {
    static func made(by noise: inout Noise) -> Self {
        let profiles = (0..<Int.random(in: 0...3, using: &noise)).map { number in
            let attributes = (0..<Int.random(in: 0...3, using: &noise)).map { number in
                let name = MetadataAttribute("a\(number)" + noise.text())
                return switch Int.random(in: 0...2, using: &noise) {
                case 0: UserMetadataEntry(name, plain: JSONText(string: noise.text()), unknownFields: noise.unknown())
                case 1: UserMetadataEntry(name, encrypted: noise.text(), unknownFields: noise.unknown())
                default: UserMetadataEntry(name, error: EnhancedErrorCode(noise.name()), unknownFields: noise.unknown())
                }
            }
            return Profile(
                mvpd: MVPDID("\(number)" + noise.text()), notBefore: noise.instant(), notAfter: noise.instant(),
                issuer: noise.maybe { $0.text() }, type: noise.maybe { ProfileType($0.text()) },
                attributes: UserMetadata(attributes), unknownFields: noise.unknown())
        }
        return ProfilesResponse(profiles: profiles, unknownFields: noise.unknown())
    }
}

extension DecisionsResponse {
    static func made(by noise: inout Noise) -> Self {
        let decisions = noise.some(upTo: 4) { noise in
            Decision(
                resource: ResourceID(noise.name()), serviceProvider: RequestorID(noise.name()),
                mvpd: MVPDID(noise.name()), source: noise.maybe { DecisionSource($0.text()) },
                isAuthorized: noise.bool(), notBefore: noise.maybe { $0.instant() },
                notAfter: noise.maybe { $0.instant() },
                token: noise.maybe {
                    SerializedMediaToken(
                        serializedToken: $0.text(), notBefore: $0.maybe { $0.instant() },
                        notAfter: $0.maybe { $0.instant() }, issuedAt: $0.maybe { $0.instant() },
                        unknownFields: $0.unknown())
                }, error: noise.maybe { $0.error() }, unknownFields: noise.unknown())
        }
        return DecisionsResponse(decisions: decisions, unknownFields: noise.unknown())
    }
}

extension ClientCredentials {
    static func made(by noise: inout Noise) -> Self {
        ClientCredentials(
            clientID: noise.name(), clientSecret: noise.name(), issuedAt: noise.maybe { $0.wholeSeconds() },
            redirectURIs: noise.some(upTo: 3) { $0.text() }, grantTypes: noise.some(upTo: 3) { GrantType($0.text()) },
            scopes: noise.some(upTo: 3) { AccessScope($0.text()) }, unknownFields: noise.unknown())
    }
}

extension AccessToken {
    static func made(by noise: inout Noise) throws -> Self {
        AccessToken(
            try BearerToken(noise.text(of: urlSafeCharacters + ".~+/", count: 1...300)), id: noise.maybe { $0.text() },
            createdAt: noise.instant(), lifetime: .seconds(Int64.random(in: 0...2_678_400, using: &noise)),
            type: noise.maybe { $0.text() }, unknownFields: noise.unknown())
    }
}

extension RegistrationError {
    static func made(by noise: inout Noise) -> Self {
        RegistrationError(
            RegistrationErrorCode(noise.name()), errorDescription: noise.maybe { $0.text() },
            errorURI: noise.maybe { $0.text() }, unknownFields: noise.unknown())
    }
}

extension Noise {
    fileprivate mutating func wholeSeconds() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 100_000_000...253_402_300_799, using: &self) * 1000)
    }
}
