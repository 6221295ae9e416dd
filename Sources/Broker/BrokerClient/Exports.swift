#if Client
// With `import BrokerClient`, a program has everything that calls take and return, and what their records are kept with.
@_exported public import BrokerMessages
@_exported public import DeviceRecords
@_exported public import EntitlementValues
@_exported public import SealedRecords
@_exported public import ServiceResponses
#endif
