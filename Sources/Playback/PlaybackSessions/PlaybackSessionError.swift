import EntitlementKeys
public import EntitlementValues
public import MediaTokens
import OpenSSLBridge
public import SealedRecords
import TextCodecs

/// Says why a playback session was not issued, is not good, or could not be checked.
///
/// Each case says what had been established before. No case holds the text of a session, a key or an address.
@nonexhaustive
public enum PlaybackSessionError: Error, Sendable, Hashable {
    // MARK: Keys and settings

    /// A key cannot be used. Carries the file, and the stable name of what is wrong with it.
    case unusableKey(file: String, code: String, reason: String)
    /// The ring has no key.
    case noKeys
    /// The first key of the ring is a public key, which cannot sign.
    case cannotSign
    /// A value cannot be used.
    case unsuitable(UnsuitableSession)

    // MARK: The text of a session

    /// The text is longer than a session, a grant, a request or a playlist may be; nothing is established. Or a playlist
    /// would become so with a grant.
    case tooLarge(limit: Int)
    /// The text is not a session of the one form that is issued. If it is a claim or the spelling, the signature is good.
    case malformed(MalformedSession)
    /// The header names a key that is not in the ring, or no longer. Nothing is established.
    case unknownKey
    /// The signature does not fit. Nothing is established.
    case badSignature
    /// The signature is good; the session was issued after now, so a clock is or was wrong, or the grant is for later.
    case notYetValid(issued: Timestamp, now: Timestamp)
    /// The signature is good; the session's time is over.
    case expired(at: Timestamp, now: Timestamp)
    /// The signature and the time are good; another service issued the session.
    case otherIssuer
    /// The signature and the time are good; the session is for another requestor.
    case otherRequestor(expected: [RequestorID], presented: RequestorID)
    /// The signature, the time and the requestor are good; the session is for another resource.
    case otherResource(expected: [ResourceID], presented: ResourceID)
    /// The signature, the time and the issuer are good; the grant is for another edge than was expected.
    case otherAudience
    /// What a grant for an edge opens is not the path of the request, or at another host; or servers read that path in
    /// more than one way.
    case otherPath
    /// Everything else is good; the session is bound to another client, to none, or to one although none was expected.
    case otherClient
    /// Everything else is good; the session is bound to a client, which a public key cannot check.
    case clientNotCheckable

    // MARK: What is kept of sessions

    /// The session is good by itself; it was revoked, or all sessions of its subscriber were.
    case revoked
    /// The subscriber has as many streams as are allowed; nothing was started.
    case tooManyStreams(limit: Int)
    /// The store of revocations and streams cannot tell.
    case store(RecordStoreError)
    /// A record of revocations or streams could not be read or written.
    case unusableRecord(reason: String)
    /// Other processes changed the subscriber's record each time that this one tried.
    case contended(attempts: Int)

    /// No decision could be made: libcrypto failed, or an expectation is empty. Nothing is established.
    case undecided(reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unusableKey(_, let code, _): code
        case .noKeys: "no_key"
        case .cannotSign: "cannot_sign"
        case .unsuitable: "unsuitable_session"
        case .tooLarge, .malformed: "bad_session"
        case .unknownKey: "retired_session_key"
        case .badSignature: "bad_session_signature"
        case .notYetValid: "session_not_yet_valid"
        case .expired: "session_expired"
        case .otherIssuer: "session_issuer_mismatch"
        case .otherRequestor, .otherAudience: "requestor_mismatch"
        case .otherResource: "resource_mismatch"
        case .otherPath: "session_path_mismatch"
        case .otherClient, .clientNotCheckable: "session_client_mismatch"
        case .revoked: "session_revoked"
        case .tooManyStreams: "too_many_streams"
        case .store(let error): error.code
        case .unusableRecord: "session_record_damaged"
        case .contended: "session_record_contended"
        case .undecided: "internal"
        }
    }

    static func mapping<Success>(
        _ work: @autoclosure () throws(OpenSSLFailure) -> Success
    ) throws(PlaybackSessionError) -> Success {
        do throws(OpenSSLFailure) {
            return try work()
        } catch {
            throw .undecided(reason: error.description)
        }
    }
}

/// Names what is wrong with the form of a session's text.
@nonexhaustive
public enum MalformedSession: Sendable, Hashable {
    /// It does not have three parts between dots.
    case partCount(Int)
    /// A part is not Base64url without padding.
    case notBase64URL
    /// The header is not the one of a session, or names an algorithm that is not its key's.
    case header
    /// The claims are not a JSON object, a claim is missing, of another type or out of range, or there is one more.
    case claims
    /// The claims are those of a session, and not spelt as they are issued.
    case spelling
    /// A field of a grant for an edge is missing, there twice, out of order or not spelt as it is issued.
    case fields
    /// The text is not an HLS playlist, which begins with `#EXTM3U`.
    case playlist
}

/// Names a value that cannot be used.
@nonexhaustive
public enum UnsuitableSession: Sendable, Hashable {
    /// A lifetime is not a whole number of seconds, not positive, longer than 7 days or longer than the ceiling.
    case lifetime(TimeToLive)
    /// A tolerance is negative or above 10 minutes.
    case tolerance(TimeToLive)
    /// The name of the issuer, or another identifier, is empty, too long, or has a character that cannot be used.
    case empty(field: String)
    /// The ID of a session is not 22 characters of Base64url.
    case malformedID
    /// The session ends before it begins or after its ceiling, the ceiling is more than 7 days later, or an instant
    /// cannot be written.
    case instants
    /// A path for an edge has another character than letters, digits, `-`, `.`, `_` and `/`, an empty segment, or `.` or
    /// `..` as one; or a folder does not end with `/`, or is `/` alone.
    case edgePath
    /// The address of a client is not one IPv4 or IPv6 address.
    case clientAddress
    /// The address of a client is not one, or not of the kind that the edge takes.
    case edgeAddress
    /// The origin of signed addresses is not a scheme and a host.
    case edgeOrigin
    /// The limit of streams is not 1 to 100.
    case streamLimit(Int)
    /// The text of the session would be longer than ``PlaybackSessionIssuer/maximumLength``.
    case sessionLength
    /// The Common Access Token would be longer than ``CommonAccessTokens/maximumLength``.
    case accessTokenLength
}

extension PlaybackSessionError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .unusableKey(let file, _, let reason): "\(file): \(reason)"
        case .noKeys: "there are no session keys; make one with: \(SecretFile.makingKey)"
        case .cannotSign:
            "the first session key is a public key, which only verifies; put a private key or a secret first"
        case .unsuitable(let value): value.description
        case .tooLarge(let limit): "longer than the \(limit) bytes that the text of a session or a grant may have"
        case .malformed(let part): "not a playback session: \(part)"
        case .unknownKey: "signed with a key that is not in the ring, or no longer; get a new session"
        case .badSignature: "the session was changed, or signed with another key"
        case .notYetValid(let issued, let now):
            "good from \(issued), \(issued.since(now)) after now (\(now)): it is for later, or this machine's clock or "
                + "the issuer's is wrong"
        case .expired(let end, let now): "expired at \(end), \(now.since(end)) before now (\(now)); get a new session"
        case .otherIssuer: "another service issued the session"
        case .otherRequestor(let expected, let presented):
            "the session is for the requestor \(presented.words(notFor: expected))"
        case .otherResource(let expected, let presented):
            "the session is for the resource \(presented.words(notFor: expected))"
        case .otherAudience: "the grant is for another audience"
        case .otherPath: "the session does not open the path of the request at this host"
        case .otherClient: "the session is not bound to this client; get a new session"
        case .clientNotCheckable:
            "the session is bound to a client, which a public key cannot check; verify with the private key"
        case .revoked: "the session was revoked; get a new session"
        case .tooManyStreams(let limit): "the subscriber plays \(limit) streams already; end one of them first"
        case .store(let error): error.description
        case .unusableRecord(let reason): "the record of a subscriber's sessions cannot be used: \(reason)"
        case .contended(let attempts): "other processes changed the subscriber's record \(attempts) times; try again"
        case .undecided(let reason): "no decision could be made: \(reason)"
        }
    }
}

extension MalformedSession: CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        switch self {
        case .partCount(let count): "\(count) \(count == 1 ? "part" : "parts") instead of three between dots"
        case .notBase64URL: "a part is not Base64url without padding"
        case .header: "the header is not that of a session, or its algorithm is not its key's"
        case .claims: "a claim is missing, of another type or out of range, or there is one more"
        case .spelling: "the claims are not spelt as they are issued"
        case .fields: "a parameter or a field of it is missing, repeated, out of order or not spelt as it is issued"
        case .playlist: "it is not an HLS playlist, whose first line is #EXTM3U"
        }
    }
}

extension UnsuitableSession: CustomStringConvertible {
    /// Which value, and what it may be.
    public var description: String {
        switch self {
        case .lifetime(let value):
            "a lifetime of \(value) is not a whole number of seconds from 1 s to 7 days, or longer than the ceiling"
        case .tolerance(let value): "a tolerance of \(value) is not between 0 and 10 minutes"
        case .empty(let field): "the \(field) is empty, too long, or has a character that cannot be used"
        case .malformedID: "the ID of a session has 22 characters of Base64url, and no other text is one"
        case .instants: "the session ends before it begins or after its ceiling, or lasts longer than 7 days"
        case .edgePath:
            "a path for an edge begins with /, a folder ends with it, and both have letters, digits, -, ., _ and / only"
        case .clientAddress: "the address of the client is not one IPv4 or IPv6 address, with or without a port"
        case .edgeAddress: "the address of the client is not one that this edge takes"
        case .edgeOrigin: "an origin is https:// and a host in lower case, without a port or a path"
        case .streamLimit(let value): "a limit of \(value) streams is not between 1 and 100"
        case .sessionLength:
            "the text of the session would be longer than \(PlaybackSessionIssuer.maximumLength) bytes; take a shorter "
                + "name of the resource, the requestor or the issuer"
        case .accessTokenLength:
            "the Common Access Token would be longer than \(CommonAccessTokens.maximumLength) bytes; take a shorter "
                + "path, host, audience or name of the issuer"
        }
    }
}

extension PlaybackSessionError {
    /// The HTTP status that a service answers with: that of ``status``, and 409 for too many streams.
    public var httpStatus: Int {
        if case .tooManyStreams = self { return 409 }
        return status.httpStatus
    }

    /// The status that says the same of a token.
    public var status: MediaTokenStatus {
        switch self {
        case .tooLarge, .malformed: .invalidTokenFormat
        case .unknownKey, .badSignature, .otherIssuer, .otherClient, .clientNotCheckable: .invalidSignature
        case .notYetValid: .tokenNotYetValid
        case .expired, .revoked: .tokenExpired
        case .otherRequestor, .otherAudience: .invalidRequestorID
        case .otherResource, .otherPath: .invalidResourceID
        case .tooManyStreams: .invalidResourceID
        case .unusableKey, .noKeys, .cannotSign, .unsuitable, .store, .unusableRecord, .contended, .undecided:
            .errorUnknown
        }
    }
}
