#if Client
public import BrokerMessages
public import DeviceRecords

/// Takes the events of all sessions of an application.
public typealias EventObserver = @Sendable (DeviceEvent) -> Void

/// An event with the device that it is about.
public struct DeviceEvent: Sendable {
    /// What happened.
    public let event: SessionEvent
    /// The device, by the server's own name of it.
    public let device: DeviceKey
    /// The visitor's identifier for analytics; `nil` if the device has not stated one.
    public let visitor: VisitorIdentifier?

    /// Describes an event of a device.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - device: The device.
    ///   - visitor: The visitor's identifier for analytics.
    public init(_ event: SessionEvent, of device: DeviceKey, visitor: VisitorIdentifier?) {
        (self.event, self.device, self.visitor) = (event, device, visitor)
    }
}

extension DeviceEvent: CustomStringConvertible, CustomReflectable {
    /// What happened, without values, device and visitor.
    public var description: String { event.description }

    /// A mirror of the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
