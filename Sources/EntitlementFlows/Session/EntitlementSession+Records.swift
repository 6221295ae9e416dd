#if Client
import BrokerClient
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
        if let identifier = found?.identifier { keep(identifier) }
        return found?[requestor] ?? RequestorRecord()
    }

    /// Changes what the device's record holds for the requestor.
    ///
    /// - Parameters:
    ///   - requestor: The requestor.
    ///   - body: Changes it; may run several times, each time with the record as it is then.
    /// - Returns: What the body returned.
    /// - Throws: `.store`, or `.cancelled` if the task is cancelled between two attempts.
    @discardableResult
    func change<Answer: Sendable>(
        for requestor: RequestorID,
        _ body: (inout RequestorRecord) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        let identifier = device.identifier
        do {
            return try await application.directory.change(device.key) { record in
                let before = record[requestor]
                let answer = body(&record[requestor])
                if record[requestor] != before { record.adopt(identifier) }
                return answer
            }
        } catch let error as DeviceRecordsError {
            throw .store(error)
        } catch {
            throw .cancelled
        }
    }
}
#endif
