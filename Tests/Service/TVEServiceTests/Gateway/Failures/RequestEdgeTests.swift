#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import HTTPTypes
import MetadataDecryption
import OpenSSLBridge
import PlaybackSessions
import SealedRecords
import ServiceResponses
import TVEService
import Testing
import TextCodecs

/// What becomes of errors that are thrown on a path of the gateway, beside the failures of the flows, and on paths
/// that are not the gateway's.
@Suite("The edges of requests")
struct RequestEdgeTests {
    static let rows: [(any Error, Int, String, String?)] = [
        (BrokerError.throttled(retryAfter: .seconds(30)), 429, "throttled", "30"),
        (DeviceRecordsError.newerSchema(found: 2, known: 1), 503, "device_record_newer", "1"),
        (DeviceRecordsError.damaged(at: .root), 500, "device_record_damaged", nil),
        (PlaybackSessionError.contended(attempts: 3), 503, "session_record_contended", "1"),
        (PlaybackSessionError.revoked, 503, "busy", "3"),
        (SealedTableError.store(.full(capacity: 1)), 503, "record_store_full", "1"),
        (SealedTableError.sealing(.undecided(reason: "away")), 503, "undecided", "1"),
        (SealedTableError.opening(.notSealed), 503, "record_not_sealed", "1"),
        (SealedTableError.damaged(at: .root, reason: "none"), 503, "device_record_damaged", "1"),
        (SealedTableError.misplaced, 503, "device_record_damaged", "1"),
        (SealedTableError.newerSchema(found: 2, known: 1), 503, "device_record_newer", "1"),
        (SealedTableError.contended(attempts: 3), 503, "device_record_contended", "1"),
        (SealedTableError.cancelled(attempts: 3), 503, "device_record_contended", "1"),
        (SealingError.undecided(reason: "away"), 503, "undecided", "1"),
        (OpenSSLFailure("a test"), 503, "undecided", "1"),
    ]

    @Test(arguments: rows)
    func `An error of one meaning has its answer`(
        error: any Error, status: Int, code: String, retryAfter: String?
    ) throws {
        let answer = try #require(RequestError(atGateway: error))
        #expect((answer.status.code, answer.code) == (status, code))
        #expect(answer.retryAfterSeconds == retryAfter)
        #expect((answer.action == .retry) == (retryAfter != nil))
        #expect(answer.action == .retry || answer.action == .none)
    }

    @Test func `What failed is said in its own words`() throws {
        let store = try #require(RequestError(atGateway: SealedTableError.misplaced))
        #expect(store.detail == "the store of devices does not answer; ask again")
        let cryptography = try #require(RequestError(atGateway: OpenSSLFailure("a test")))
        #expect(cryptography.detail == "libcrypto failed; ask again")
    }

    static let elsewhere: [(any Error, Int, String)] = [
        (PlaybackSessionError.tooManyStreams(limit: 2), 409, "too_many_streams"),
        (PlaybackSessionError.contended(attempts: 3), 503, "session_record_contended"),
        (ServiceResponseError.tooDeep, 400, "too_deep"),
        (MetadataDecryptionError.isJWE, 422, "is_jwe"),
        (MetadataDecryptionError.undecryptable, 422, "undecryptable"),
        (MetadataDecryptionError.undecided(.noKeys), 503, "internal"),
        (RequestError(.forbidden, "cross_site", detail: "a test"), 403, "cross_site"),
    ]

    @Test(arguments: elsewhere)
    func `Elsewhere an error of the library has its answer, too`(error: any Error, status: Int, code: String) throws {
        let answer = try #require(RequestError(atService: error))
        #expect((answer.status.code, answer.code) == (status, code))
        #expect(answer.detail == (error as? RequestError)?.detail ?? "\(error)")
    }

    static let others: [any Error] = [
        SealingError.notSealed, BrokerHeaderError.empty(header: "X"), CancellationError(),
    ]

    @Test(arguments: others)
    func `One of several meanings, or of none for apps, has none here`(error: any Error) {
        #expect(RequestError(atGateway: error) == nil && RequestError(atService: error) == nil)
    }
}
#endif
