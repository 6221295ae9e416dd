#if Service
package import BrokerClient
package import SealedRecords

/// What a gateway uses instead of the network and the store that its settings name: for tests.
package struct GatewayResources: Sendable {
    /// The way to the broker.
    package let transport: any HTTPTransport
    /// The store of devices; `nil` for the one that the settings name.
    package let records: (any RecordStore)?

    /// Names them.
    ///
    /// - Parameters:
    ///   - transport: The way to the broker.
    ///   - records: The store of devices; `nil` for the one that the settings name.
    package init(transport: any HTTPTransport, records: (any RecordStore)? = nil) {
        (self.transport, self.records) = (transport, records)
    }
}
#endif
