#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues

// What `DeviceSessions` needs of a session.

extension EntitlementSession {
    /// Whether something would be lost if the session went: a command, a listener, a wait for a sign-in, or one for a
    /// decision.
    var isInUse: Bool {
        queue.isBusy || listeners.listenerCount > 0 || watch != nil || pending?.isAwaited == true
    }

    /// Takes over what a device says of itself and wants now.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - options: Its options; `nil` leaves them as they are.
    func take(_ device: Device, _ options: SessionOptions?) {
        guard options != nil || device.info != self.device.info else { return }
        setOptions(options ?? self.options, deviceInfo: device.info)
    }

    /// Gives up the wait for a sign-in, so that another process can go on with it.
    func stopWaiting() async {
        await giveUpWatch(with: .shutDown)
        endPending(with: .shutDown)
    }

    /// Erases the device's record, and what the session remembers of it.
    ///
    /// It is a command: no other one writes the record at the same time.
    ///
    /// - Returns: Whether there was a record.
    /// - Throws: `.store`, `.cancelled`.
    func forgetDevice() async throws(EntitlementFlowError) -> Bool {
        try await command { () throws(EntitlementFlowError) in
            dropWhatIsRemembered()
            let hadRecord: Bool
            do throws(DeviceRecordsError) {
                hadRecord = try await application.directory.forget(device.key)
            } catch {
                throw .store(error)
            }
            if hadRecord { tell(.authenticationStatus(.notAuthenticated)) }
            return hadRecord
        }
    }
}
#endif
