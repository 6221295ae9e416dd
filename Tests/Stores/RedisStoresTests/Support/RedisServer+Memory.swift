#if Redis
import EntitlementValues
import Foundation
import TestServers
import Testing

extension RedisServer {
    /// Expects that a key which some work sets is remembered for so long, by the server's own clock.
    ///
    /// So it makes no difference how long the work takes, and when the key is looked at.
    ///
    /// - Returns: What the work returns.
    func expectMemory<Value>(
        _ key: String,
        of lifetime: TimeToLive,
        at location: SourceLocation = #_sourceLocation,
        after work: () async throws -> Value
    ) async throws -> Value {
        let start = try now()
        let value = try await work()
        let end = try now()
        let expiry = try #require(Int64(try say("PEXPIRETIME \(key)").dropFirst().dropLast()))
        #expect(start...end ~= expiry - lifetime.milliseconds, sourceLocation: location)
        return value
    }

    /// The server's time in milliseconds.
    private func now() throws -> Int64 {
        let socket = try Socket.connected(to: socketPath)
        socket.write(
            Array("EVAL \"local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)\" 0\r\n".utf8))
        return try #require(Int64(String(decoding: socket.readReply(), as: UTF8.self).dropFirst().dropLast()))
    }
}
#endif
