#if Client
import Testing

/// All tests of the transport, one after the other: each keeps a client and a server busy, and two cores are few.
@Suite(.serialized)
enum TransportTests {}
#endif
