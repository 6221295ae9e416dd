#if Service
import NIOCore
import Synchronization
import TextCodecs

/// The places of running batches, and of other requests that are as much work.
final class BatchPlaces: Sendable {
    /// A place, which is free again when the object is released.
    ///
    /// It also measures a batch, whose rows are answered after its response has begun, until then.
    final class Place: Sendable {
        private let places: BatchPlaces
        private let start = ContinuousClock.now
        private let endpoint: Endpoint
        private let network: String

        fileprivate init(_ places: BatchPlaces, for endpoint: Endpoint, from network: String) {
            self.places = places
            self.endpoint = endpoint
            self.network = network
        }

        deinit {
            places.taken.withLock { taken in
                let left = (taken[network] ?? 1) - 1
                taken[network] = left > 0 ? left : nil
            }
            guard endpoint == .verifyBatch else { return }
            places.metrics.end(.verifyBatch, status: 200, duration: start.duration(to: .now))
        }
    }

    private let metrics: ServiceMetrics
    /// How many places are taken, by the network that their requests come from.
    private let taken = Mutex<[String: Int]>([:])

    init(metrics: ServiceMetrics) { self.metrics = metrics }

    /// Takes a place for a request.
    ///
    /// Places are counted by the address at the other end of its connection. Throws `.busy` or `.busyForAddress` if all
    /// are taken.
    func take(
        for endpoint: Endpoint,
        on channel: any Channel,
        within limits: ServiceSettings.Limits
    ) throws(RequestError) -> Place {
        let network = IPAddress(channel.remoteAddress?.ipAddress ?? "")?.network ?? ""
        let refusal: RequestError? = taken.withLock { taken in
            if taken.values.reduce(0, +) >= limits.batches { return .busy }
            if taken[network, default: 0] >= limits.batchesPerAddress { return .busyForAddress }
            taken[network, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
        return Place(self, for: endpoint, from: network)
    }
}
#endif
