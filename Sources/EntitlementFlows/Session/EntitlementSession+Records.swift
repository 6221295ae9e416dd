#if Client
package import BrokerClient
import BrokerMessages
package import DeviceRecords
package import EntitlementValues

extension EntitlementSession {
    /// What the device's record holds for the requestor.
    ///
    /// The record's identifier of the device counts, since its registrations belong to it: if the session was made with
    /// another one, it goes on with that of the record.
    package func record(requestor: RequestorID) async throws(EntitlementFlowError) -> RequestorRecord {
        let erasures = application.broker.records.erasures
        let read: ReadRecord?
        do throws(DeviceRecordsError) {
            read = try await application.broker.records.read(device.key, after: lastRead)
        } catch {
            throw .store(error)
        }
        lastRead = read
        let found = read?.record
        heed(found, requestor: requestor)
        for broker in application.shared.brokers { broker.note(found, of: device.key, after: erasures) }
        if let identifier = found?.identifier { keep(identifier) }
        return found?[requestor] ?? RequestorRecord()
    }

    /// Changes what the device's record holds for the requestor.
    ///
    /// - Parameters:
    ///   - requestor: The requestor.
    ///   - origin: The origin whose answer the change keeps, if it keeps one. The answer is void if the device's
    ///     registration there has been erased since the broker was asked: else what was erased would be stored again.
    ///   - body: Changes it; may run several times, each time with the record as it is then.
    /// - Returns: What the body returned.
    /// - Throws: `.store`, `.cancelled` if the task is cancelled between two attempts, `.superseded` for an answer if the
    ///   record has been erased.
    @discardableResult
    package func change<Answer: Sendable>(
        requestor: RequestorID,
        keepingAnswerOf origin: BrokerOrigin? = nil,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let (identifier, known, asked) = (device.identifier, lastClient, origin.map { scope(at: $0) })
        do {
            let (answer, after) = try await application.broker.records.change(device.key) {
                record throws(RecordWasErased) in
                if let known, !record.has(known) { throw RecordWasErased() }
                if let asked, record.registrations[asked] == nil { throw RecordWasErased() }
                let before = record[requestor]
                let answer = body(&record[requestor])
                if record[requestor] != before { record.adopt(identifier) }
                return (answer, record)
            }
            heed(after, requestor: requestor)
            return answer
        } catch is RecordWasErased {
            dropWhatIsRemembered()
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
        if origin != nil { throw .superseded }
        return try await change(requestor: requestor, body)
    }

    // MARK: Erased records

    /// Whether the record that was read last holds what calls of the broker at an origin are made with: not if it has been
    /// erased since a call.
    func isRegistered(at origin: BrokerOrigin) -> Bool { lastRead?.record.registrations[scope(at: origin)] != nil }

    /// Where the device's registration with the broker at an origin is in its record.
    private func scope(at origin: BrokerOrigin) -> RegistrationScope { application.broker(at: origin).scope }

    /// Notes as which client the device's record knows the session; if one is gone that was there, the record was erased,
    /// whoever did it, and nothing from before counts.
    ///
    /// It is the client at the origin that answers for the user. Registrations of other applications, and at origins that
    /// have nothing of the user, come and go without a meaning for this session.
    private func heed(_ record: DeviceRecord?, requestor: RequestorID) {
        if let lastClient, record?.has(lastClient) != true { dropWhatIsRemembered() }
        let current = currentOrigin(mvpd: nil, in: record?[requestor] ?? RequestorRecord())
        lastClient =
            ([current] + origins).lazy.compactMap { [self] origin in
                let scope = scope(at: origin)
                return (record?.registrations[scope]?.credentials.clientID).map {
                    KnownClient(scope: scope, clientID: $0)
                }
            }.first
    }

    /// Drops what the session and its process remember of a device whose record is erased: its access tokens, which would
    /// still bring the profile of the user who was erased, what waits, permits, and times of decisions.
    func dropWhatIsRemembered() {
        (callers, lastClient) = ([:], nil)
        for broker in application.shared.brokers { broker.note(nil, of: device.key) }
        permits.removeAll()
        profileGeneration += 1
        application.broker.records.dropNotedDecisions(of: device.key)
        endWatch(with: .failure(.superseded))
        endPending(with: .superseded)
    }
}

/// A client as which a device's record was registered when it was seen last.
struct KnownClient: Sendable {
    let scope: RegistrationScope
    let clientID: String
}

/// The record does not have the credentials anymore that it had when it was seen last.
private struct RecordWasErased: Error {}

extension DeviceRecord {
    /// Whether a client is still there, and no other one has taken its place.
    func has(_ client: KnownClient) -> Bool {
        registrations[client.scope]?.credentials.clientID == client.clientID
    }
}
#endif
