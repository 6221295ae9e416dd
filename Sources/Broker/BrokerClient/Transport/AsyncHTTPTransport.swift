#if Client
import AsyncHTTPClient
public import HTTPTypes
public import NIOCore
import NIOPosix
import Synchronization

/// Sends requests with async-http-client, over HTTP/1.1 and TLS.
///
/// It follows no redirect, keeps no cookie, retries nothing and makes no trace span, and uses a proxy only if `Settings.proxy`
/// names one. Connections are kept and used again, but for `Settings.connectionAge` at most: the broker moves between data
/// centers by DNS.
///
/// For most uses, take `shared`, which lives as long as the process. A transport with settings of its own closes its
/// connections when it is shut down or, if that was forgotten, when it is released.
public final class AsyncHTTPTransport: HTTPTransport {
    /// The transport for all that needs no other settings; it cannot be shut down.
    public static let shared = AsyncHTTPTransport(
        configuration: Settings().configuration(trusting: nil), isShared: true)

    private let direct: HTTPClient
    /// The proxy, and the client whose connections go through it; `nil` without one.
    private let proxied: (proxy: HTTPProxy, client: HTTPClient)?
    private let bodyLimit: Int
    private let isShared: Bool
    private let isShutDown = Atomic(false)

    /// Makes a transport; connections are opened as they are needed.
    ///
    /// - Parameters:
    ///   - settings: Limits, and which authorities are trusted.
    ///   - group: Where connections are served: one of NIO's, which lives longer than the transport. One of its loops
    ///     (`group.any()`) takes the least processor time: a request whose connection is another loop's wakes two threads.
    ///     `nil` for one loop of those that the process shares.
    /// - Throws: `BrokerSettingsError`: `.unreadableAuthorities`, `.malformedAuthorities` or `.setting`.
    public convenience init(
        _ settings: Settings,
        on group: (any EventLoopGroup)? = nil
    ) throws(BrokerSettingsError) {
        try self.init(settings, on: group, agingBy: { .now() })
    }

    /// Makes a transport whose connections grow old by a clock of the caller's.
    ///
    /// `group` is where connections are served.
    package convenience init(
        _ settings: Settings,
        on group: (any EventLoopGroup)? = nil,
        agingBy now: @escaping @Sendable () -> NIODeadline
    ) throws(BrokerSettingsError) {
        try settings.check()
        let configuration = settings.configuration(
            trusting: try settings.authorities.certificates(), agingBy: now)
        self.init(configuration: configuration, through: settings.proxy, on: group, bodyLimit: settings.bodyLimit)
    }

    private init(
        configuration: HTTPClient.Configuration,
        through proxy: HTTPProxy? = nil,
        on group: (any EventLoopGroup)? = nil,
        bodyLimit: Int = Settings().bodyLimit,
        isShared: Bool = false
    ) {
        // NIO's, so that sockets and TLS are the same on all systems. One loop: a request whose connection is another
        // loop's would wake both threads several times, which costs more than the rest of the call.
        let group = group ?? MultiThreadedEventLoopGroup.singleton.any()
        direct = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        proxied = proxy.map { proxy in
            var configuration = configuration
            configuration.proxy = proxy.configuration
            return (proxy, HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration))
        }
        self.bodyLimit = bodyLimit
        self.isShared = isShared
    }

    deinit {
        // A client traps if it is released without this. It keeps itself until its connections are closed.
        if beginShutdown() { for client in clients { client.shutdown { _ in } } }
    }

    private var clients: [HTTPClient] { [direct] + (proxied.map { [$0.client] } ?? []) }

    /// Closes all connections and waits until they are closed; calls that are under way fail with `.shutDown`.
    ///
    /// A second call returns at once. The shared transport goes on.
    public func shutdown() async {
        guard !isShared, beginShutdown() else { return }
        for client in clients { await withCheckedContinuation { done in client.shutdown { _ in done.resume() } } }
    }

    private func beginShutdown() -> Bool { !isShutDown.exchange(true, ordering: .acquiringAndReleasing) }

    /// Sends a request, and reads the answer to its end.
    ///
    /// - Parameters:
    ///   - request: The request, with scheme, authority, path and all header fields but the body's length.
    ///   - body: The body; empty for none.
    ///   - timeLimit: How long the exchange may take: connecting, sending and the answer's body included.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TransportFailure` if a whole answer does not come.
    public func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        let deadline = NIODeadline.now() + TimeAmount(limited: timeLimit)
        guard !Task.isCancelled else { throw TransportFailure(.cancelled, mayHaveBeenSent: false) }
        guard timeLimit > .zero else { throw TransportFailure(.timeout, mayHaveBeenSent: false) }
        let message = try HTTPClient.Request(request, body: body)
        let (client, proxy) = way(to: request)
        let exchange = Exchange(bodyLimit: bodyLimit, hasAnswerBody: request.method != .head)
        let result: Result<HTTPAnswer, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = client.execute(request: message, delegate: exchange, deadline: deadline)
                exchange.start(task)
                task.futureResult.whenComplete { continuation.resume(returning: $0) }
            }
        } onCancel: {
            exchange.cancel()
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            throw TransportFailure(
                error, isLate: NIODeadline.now() >= deadline, isShutDown: isShutDown.load(ordering: .acquiring),
                to: BrokerOrigin(of: request), through: proxy)
        }
    }

    /// The client that sends a request, and the proxy that its connections go through.
    private func way(to request: HTTPRequest) -> (client: HTTPClient, proxy: HTTPProxy?) {
        guard let proxied, BrokerOrigin(of: request).map(proxied.proxy.isUsed) ?? false else { return (direct, nil) }
        return (proxied.client, proxied.proxy)
    }
}

extension BrokerOrigin {
    /// Where a request goes; `nil` if its address is not valid.
    fileprivate init?(of request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority,
            let origin = try? BrokerOrigin(parsing: "\(scheme)://\(authority)")
        else { return nil }
        self = origin
    }
}

extension TimeAmount {
    /// Converts a duration to whole nanoseconds; above a year, it is a year.
    init(limited duration: Duration) {
        let shortened = min(max(duration, .zero), .seconds(365 * 86_400))
        let (seconds, attoseconds) = shortened.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
#endif
