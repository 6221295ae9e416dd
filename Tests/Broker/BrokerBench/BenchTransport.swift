#if Client
package import BrokerClient
package import BrokerSimulation

/// A transport to a simulated broker.
package protocol BenchTransport: HTTPTransport {
    /// Whether a request or an answer is on its way.
    ///
    /// The network takes real time, in which the time of a bench must not pass: a call would end by its time limit. An
    /// answer that a scenario holds back is not on its way.
    var isCarrying: Bool { get }
}

extension SimulatedTransport: BenchTransport {
    /// Never: a call takes none of the time of a bench.
    package var isCarrying: Bool { false }
}
#endif
