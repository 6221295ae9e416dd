#if Redis
import EntitlementValues
import Synchronization
import TextCodecs

/// Which of the Sentinels is asked first: the one whose answer was good last.
final class FirstSentinel: Sendable {
    private let number = Atomic(0)

    /// The position of the Sentinel to ask first.
    var position: Int { number.load(ordering: .relaxed) }
    /// Makes a Sentinel the first.
    func set(_ position: Int) { number.store(position, ordering: .relaxed) }
}

extension RedisConnector {
    /// Asks Sentinels for the address of the primary, and opens a session with it.
    ///
    /// Each connection asks anew, so the one after a failover leads to the new primary. A Sentinel that cannot be asked,
    /// or names a server that cannot be used, such as one that is a replica by now, is not asked first the next time.
    ///
    /// Source: *Guidelines for Redis clients with support for Redis Sentinel*.
    ///
    /// - Throws: `RedisFailure`.
    func open(
        _ access: RedisAccess,
        of primary: String,
        from hosts: [RedisAddress.Host],
        until deadline: Duration
    ) throws(RedisFailure) -> RedisSession {
        let first = firstSentinel.position
        var failure = RedisFailure.unknownPrimary
        for offset in hosts.indices {
            let position = (first + offset) % hosts.count
            let now = time.uptime
            // A Sentinel that does not answer leaves time for the others and for the primary.
            let part = now + (deadline - now) / (hosts.count - offset + 1)
            let server: RedisAddress.Host
            do throws(RedisFailure) {
                server = try ask(hosts[position], for: primary, access, until: part)
            } catch {
                // If another Sentinel cannot be reached either, that is not the reason to look for.
                if !failure.concernsAccess {
                    failure = error == .unknownPrimary ? error : .sentinel(hosts[position], error)
                }
                continue
            }
            do throws(RedisFailure) {
                let session = try open(access, at: .tcp(host: server.name, port: server.port), until: deadline)
                firstSentinel.set(position)
                return session
            } catch {
                firstSentinel.set(position + 1)
                throw .primary(server, error)
            }
        }
        throw failure
    }

    /// Asks one Sentinel.
    private func ask(
        _ sentinel: RedisAddress.Host,
        for primary: String,
        _ access: RedisAccess,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisAddress.Host {
        var connection = try connection(
            to: .tcp(host: sentinel.name, port: sentinel.port), access, until: deadline)
        let question = RedisCommand.encode(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary])
        try question.withSpan { bytes throws(RedisFailure) in try connection.write(bytes, until: deadline) }
        let reply = try connection.next(until: deadline)
        if reply == .null { throw .unknownPrimary }
        if let failure = reply.failure(unless: .list) { throw failure }
        guard case .list(let elements) = reply, elements.count == 2, case .text(let name) = elements[0],
            case .text(let port) = elements[1], let port = Int(String(decoding: port, as: UTF8.self)),
            // What a Sentinel says is checked like an address that was configured.
            let host = try? RedisAddress(.tcp(host: String(decoding: name, as: UTF8.self), port: port)),
            case .tcp(let name, let port) = host.endpoint
        else { throw .nonsense }
        return RedisAddress.Host(name, port: port)
    }
}
#endif
