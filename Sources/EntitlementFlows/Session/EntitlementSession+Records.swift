#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues

extension EntitlementSession {
    /// What the device's record holds for the requestor.
    ///
    /// The record's identifier of the device counts, since its registrations belong to it: if the session was made with
    /// another one, it goes on with that of the record.
    func record(for requestor: RequestorID) async throws(EntitlementFlowError) -> RequestorRecord {
        let read: ReadRecord?
        do throws(DeviceRecordsError) {
            read = try await application.directory.read(device.key, after: lastRead)
        } catch {
            throw .store(error)
        }
        lastRead = read
        let found = read?.record
        heed(found?.registrations ?? [:])
        for registration in registrations.values { registration.note(found) }
        if let identifier = found?.identifier { keep(identifier) }
        return found?[requestor] ?? RequestorRecord()
    }

    /// Changes what the device's record holds for the requestor.
    ///
    /// - Parameters:
    ///   - requestor: The requestor.
    ///   - isAnswer: Whether the change keeps an answer of the broker. It is void if the record has been erased since the
    ///     broker was asked: else what was erased would be stored again.
    ///   - body: Changes it; may run several times, each time with the record as it is then.
    /// - Returns: What the body returned.
    /// - Throws: `.store`, `.cancelled` if the task is cancelled between two attempts, `.superseded` for an answer if the
    ///   record has been erased.
    @discardableResult
    func change<Answer: Sendable>(
        for requestor: RequestorID,
        keepingAnswer isAnswer: Bool = false,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let (identifier, known) = (device.identifier, lastClients)
        do {
            let (answer, registrations) = try await application.directory.change(device.key) {
                record throws(RecordWasErased) in
                guard !record.registrations.lacks(known), !isAnswer || !record.registrations.isEmpty else {
                    throw RecordWasErased()
                }
                let before = record[requestor]
                let answer = body(&record[requestor])
                if record[requestor] != before { record.adopt(identifier) }
                return (answer, record.registrations)
            }
            heed(registrations)
            return answer
        } catch is RecordWasErased {
            dropWhatIsRemembered()
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
        if isAnswer { throw .superseded }
        return try await change(for: requestor, body)
    }

    // MARK: Erased records

    /// Whether the record that was read last holds what calls of the broker are made with: not if it has been erased
    /// since a call.
    var isRegistered: Bool { lastRead?.record.registrations.isEmpty == false }

    /// Notes the registrations of the device's record; if some are gone that were there, the record was erased, whoever
    /// did it, and nothing from before counts.
    private func heed(_ registrations: [RegistrationScope: DeviceRegistration]) {
        if registrations.lacks(lastClients) { dropWhatIsRemembered() }
        guard registrations.count != lastClients.count else { return }
        lastClients = registrations.mapValues(\.credentials.clientID)
    }

    /// Drops what the session and its process remember of a device whose record is erased: its access tokens, which would
    /// still bring the profile of the user who was erased, what waits, permits, and times of decisions.
    func dropWhatIsRemembered() {
        (registrations, lastClients) = ([:], [:])
        permits.removeAll()
        profileGeneration += 1
        application.directory.dropNotedDecisions(of: device.key)
        endWatch(with: .failure(.superseded))
        endPending(with: .superseded)
    }
}

/// The record does not have the credentials anymore that it had when it was seen last.
private struct RecordWasErased: Error {}

extension [RegistrationScope: DeviceRegistration] {
    /// Whether some of these clients are not there, or others have taken their place.
    fileprivate func lacks(_ clients: [RegistrationScope: String]) -> Bool {
        clients.contains { self[$0.key]?.credentials.clientID != $0.value }
    }
}
#endif
