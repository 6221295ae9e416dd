#if Client
import BrokerMessages

/// The body of a request, and its media type.
struct RequestBody: Sendable {
    let bytes: [UInt8]
    let mediaType: String
}
#endif
