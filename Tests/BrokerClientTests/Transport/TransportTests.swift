#if Client
import Testing

/// All tests of the transport, one after the other: they look at the clock, and two cores are few.
@Suite(.serialized)
enum TransportTests {}
#endif
