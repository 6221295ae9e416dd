#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import HTTPTypes
import OpenSSLBridge
import PlaybackSessions
import SealedRecords
import TVEService
import Testing
import TextCodecs

/// What becomes of errors that are thrown on a path of the gateway, beside the failures of the flows.
@Suite("The gateway's edge")
struct GatewayEdgeTests {
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
    }

    static let others: [any Error] = [
        SealingError.notSealed, BrokerHeaderError.empty(header: "X"), CancellationError(),
    ]

    @Test(arguments: others)
    func `One of several meanings, or of none for apps, has none here`(error: any Error) {
        #expect(RequestError(atGateway: error) == nil)
    }
}
#endif
