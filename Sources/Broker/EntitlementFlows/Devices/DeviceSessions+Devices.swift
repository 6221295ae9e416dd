#if Client
public import BrokerClient
public import BrokerMessages
public import DeviceRecords
import EntitlementValues
import SealedRecords
public import ServiceResponses
import Synchronization

extension DeviceSessions {
    // MARK: Finding

    /// Finds the device that shows an activation code, whichever process has made the code.
    ///
    /// The broker is not asked: a code that was not made here is not found.
    ///
    /// - Parameter code: The code, as it was typed.
    /// - Returns: The device; `nil` if no device shows this code, or none anymore.
    /// - Throws: `.store`.
    public func device(showing code: AuthenticationCode) async throws(EntitlementFlowError) -> DeviceKey? {
        try await asking { directory throws(DeviceRecordsError) in try await directory.device(showing: code) }
    }

    /// Describes a device that was found, as ``with(_:options:_:)`` needs it.
    ///
    /// - Parameters:
    ///   - key: The key of the device.
    ///   - info: What the device says of itself, which its record does not hold.
    ///   - userAgent: What the program on the device calls itself, which its record does not hold either.
    /// - Returns: The device, with the identifier of its record; `nil` if it has neither.
    /// - Throws: `.store`.
    public func device(
        _ key: DeviceKey,
        info: DeviceInfo,
        userAgent: UserAgent? = nil
    ) async throws(EntitlementFlowError) -> Device? {
        let record = try await asking { directory throws(DeviceRecordsError) in try await directory.record(of: key) }
        return record?.identifier.map { Device(key: key, identifier: $0, info: info, userAgent: userAgent) }
    }

    // MARK: Forgetting

    /// Erases everything about a device: its record, and its session here.
    ///
    /// Nothing is sent; log the device out before, if its profile at the broker should end as well. Processes that have a
    /// session of the device notice it with its next command, and drop what they remember; answers that are on their way
    /// are not stored. If the device comes back, it registers anew.
    ///
    /// - Parameter device: The device.
    /// - Returns: Whether there was a record.
    /// - Throws: `.store`, `.cancelled`; ask again then.
    @discardableResult
    public func forget(_ device: DeviceKey) async throws(EntitlementFlowError) -> Bool {
        try await erase(device, telling: true)
    }

    /// The same without a word to those who listen: the device has other sessions, and this one means nothing to its user.
    @discardableResult
    package func erase(_ device: DeviceKey) async throws(EntitlementFlowError) -> Bool {
        try await erase(device, telling: false)
    }

    private func erase(_ device: DeviceKey, telling isTold: Bool) async throws(EntitlementFlowError) -> Bool {
        let session = table.withLock { $0.entries[device]?.session }
        guard let session else {
            return try await asking { directory throws(DeviceRecordsError) in try await directory.forget(device) }
        }
        return try await session.forgetDevice(telling: isTold)
    }

    /// Erases everything about a subscriber: the records of all of their devices, and the sessions of those here.
    ///
    /// - Parameter subscriber: The subscriber, by the name that was written to `DeviceRecord.subject`.
    /// - Returns: How many records were removed.
    /// - Throws: `.store`, `.cancelled`; ask again then, since some records may be left.
    @discardableResult
    public func forgetDevices(of subscriber: String) async throws(EntitlementFlowError) -> Int {
        let places = Set(
            try await asking { directory throws(DeviceRecordsError) in try await directory.keys(of: subscriber) })
        var count = 0
        for device in table.withLock({ Array($0.entries.keys) }) {
            let isTheirs = try await asking { directory throws(DeviceRecordsError) in
                places.contains(try directory.key(of: device))
            }
            if isTheirs, try await forget(device) { count += 1 }
        }
        let others = try await asking { directory throws(DeviceRecordsError) in
            try await directory.forgetDevices(of: subscriber)
        }
        return count + others
    }

    /// Uses the directory, whose errors are those of sessions.
    private func asking<Answer>(
        _ body: (DeviceDirectory) async throws(DeviceRecordsError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        try await rethrowing(awaiting: await body(application.broker.records), as: EntitlementFlowError.store)
    }
}
#endif
