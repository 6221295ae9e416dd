#if Client
import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import Synchronization
import TextCodecs
import TVETesting

/// Everything that a media token says.
struct MediaTokenOrder: Sendable, Hashable {
    var requestor: RequestorID
    var resource: ResourceID
    var mvpd: MVPDID
    var proxy: MVPDID?
    /// The id that the provider gave the user; the token has its MD5.
    var guid: String
    /// When it is signed, to the second.
    var signed: Timestamp
    var lifetime: TimeToLive
    var fault: MediaTokenDefect?

    /// When it says that it was issued.
    var issued: Timestamp {
        switch fault {
        case .expired: signed - lifetime - .hours(1)
        case .notYetValid: signed + .hours(1)
        default: signed
        }
    }
    /// The instant at which it ends.
    var expires: Timestamp { issued + lifetime }
}

/// Signs media tokens, good ones and such as a verifier must refuse.
final class MediaTokenMint: Sendable {
    let key: SigningKey
    /// Keys that the simulator's own verifiers do not trust, by their length in bits: each is made for the first token that
    /// it signs, since that takes longer than all other answers.
    private let untrusted = Mutex<[Int: SigningKey]>([:])

    init(key: SigningKey) { self.key = key }

    /// Makes a token as REST answers carry it: one layer of Base64 on one line.
    func token(_ order: MediaTokenOrder) throws(SimulationError) -> String {
        var claims = TestTokenClaims(requestor: order.requestor, resource: order.resource, issued: order.issued)
        claims.sessionGUID = SessionGUID(try Self.sessionGUID(of: order.guid))
        claims.mvpd = order.mvpd
        claims.proxyMVPD = order.proxy
        claims.ttl = order.lifetime
        claims.zoneOffset = PacificTime.offset(at: order.issued)
        if order.fault == .swappedProviders {
            (claims.mvpd, claims.proxyMVPD) = (order.proxy ?? "SimulatedProxy", order.mvpd)
        }
        var layout = TestTokenLayout()
        layout.base64Layers = 1
        if order.fault == .documentedRoot { layout.root = .shortAuthorizationToken }
        if order.fault == .closingMarker { layout.secondMarker = .closing }
        let issuer = TestMediaTokenIssuer(key: try key(for: order.fault))
        return try rethrowing(issuer.issueText(claims, layout: layout, fault: order.fault?.issuerFault)) {
            (error: TestIssuerError) in SimulationError.backend(error.description)
        }
    }

    /// The broker's pseudonym of a user: the MD5 of the provider's id in hexadecimal digits.
    static func sessionGUID(of guid: String) throws(SimulationError) -> String {
        Hex.encode(try rethrowing(insecureMD5(Array(guid.utf8)), as: SimulationError.init(_:)))
    }

    private func key(for defect: MediaTokenDefect?) throws(SimulationError) -> SigningKey {
        switch defect {
        case .weakKey: try weakKey
        case .otherKey: try untrustedKey(bits: key.bits)
        default: key
        }
    }

    /// A key of the length that real tokens had long ago.
    var weakKey: SigningKey {
        get throws(SimulationError) { try untrustedKey(bits: 1024) }
    }

    /// A key of its own for each length; the same from then on.
    func untrustedKey(bits: Int) throws(SimulationError) -> SigningKey {
        try untrusted.withLock { keys throws(SimulationError) in
            if let key = keys[bits] { return key }
            let key = try rethrowing(
                SigningKey.generated(bits: bits, named: "simulator-untrusted"), as: SimulationError.init(key:))
            keys[bits] = key
            return key
        }
    }
}

extension MediaTokenDefect {
    /// What the issuer of test tokens does for it; keys and times are the mint's and the order's.
    fileprivate var issuerFault: TestTokenFault? {
        switch self {
        case .otherKey, .expired, .notYetValid: nil
        default: testFault
        }
    }
}

/// The time zone in which the broker writes issue times: US Pacific, with daylight saving since 2007's rule.
enum PacificTime {
    /// Minutes east of Greenwich at an instant.
    ///
    /// They are −480, or −420 from the second Sunday of March to the first of November.
    static func offset(at instant: Timestamp) -> Int {
        guard let year = CivilDate(of: instant - .hours(8))?.year,
            // 02:00 standard time, and 02:00 daylight time.
            let start = sunday(2, of: 3, in: year, atUTCHour: 10),
            let end = sunday(1, of: 11, in: year, atUTCHour: 9)
        else { return -480 }
        return start <= instant && instant < end ? -420 : -480
    }

    private static func sunday(_ number: Int, of month: Int, in year: Int, atUTCHour hour: Int) -> Timestamp? {
        guard
            let first = CivilDate(
                year: year, month: month, day: 1, hour: hour, minute: 0, second: 0, millisecond: 0)
        else { return nil }
        // 1970-01-01 was a Thursday, so day 3 was a Sunday.
        let day = first.timestamp.milliseconds / 86_400_000
        let untilSunday = ((3 - day) % 7 + 7) % 7
        return first.timestamp + .hours(24 * (untilSunday + Int64(7 * (number - 1))))
    }
}
#endif
