import AppEntitlements
import Foundation
import Testing

/// What `URLSession` makes of real sockets; one after the other, since some measure time.
@Suite(.serialized) struct URLSessionTransportTests {
    private func ask(_ address: String, within seconds: Double = 10) async throws(TransportFailure) -> TransportAnswer {
        guard let url = URL(string: address) else { throw .notConnected }
        let request = TransportRequest(
            method: "POST", url: url, fields: ["Content-Type": "application/json", "Authorization": "Bearer t"],
            body: Data("{}".utf8), timeLimit: seconds)
        return try await URLSessionTransport().send(request)
    }

    @Test func `An answer has its status, its body and its pause`() async throws {
        let server = try RawServer { _ in ["HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}"] }
        defer { server.stop() }
        let answer = try await ask(server.address)
        #expect(answer.status == 429 && answer.retryAfter == "7" && answer.body == Data("{}".utf8))
        #expect(server.requests.first?.contains("Authorization: Bearer t") == true)
    }

    @Test func `Nothing listens there`() async throws {
        let port = try RawServer.freePort()
        await #expect(throws: TransportFailure.notConnected) { try await ask("http://127.0.0.1:\(port)") }
    }

    @Test(arguments: [
        [], ["not HTTP at all\r\n\r\n"], ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"code\":"],
        ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cod\r\n"],
    ])
    func `A connection that is cut before the end of the answer is no answer`(parts: [String]) async throws {
        let server = try RawServer { _ in parts }
        defer { server.stop() }
        await #expect(throws: TransportFailure.interrupted) { try await ask(server.address) }
    }

    @Test func `The time limit ends a server that says nothing, and one that says a little at a time`() async throws {
        let silent = try RawServer { _ in nil }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        let slow = try RawServer(pausing: 0.5) { _ in [head] + Array(repeating: " ", count: 100) }
        defer {
            silent.stop()
            slow.stop()
        }
        let began = ContinuousClock.now
        await #expect(throws: TransportFailure.timedOut) { try await ask(silent.address, within: 0.5) }
        await #expect(throws: TransportFailure.timedOut) { try await ask(slow.address, within: 0.5) }
        #expect((.seconds(1)...(.seconds(30))).contains(ContinuousClock.now - began))
    }

    @Test func `A task that is cancelled ends at once`() async throws {
        let server = try RawServer { _ in nil }
        defer { server.stop() }
        let task = Task { try await ask(server.address) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        task.cancel()
        await #expect(throws: TransportFailure.cancelled) { try await task.value }
    }

    @Test func `A redirection is not followed, so the token goes nowhere else`() async throws {
        let other = try RawServer { _ in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"] }
        let server = try RawServer { _ in
            ["HTTP/1.1 307 Elsewhere\r\nLocation: \(other.address)/\r\nContent-Length: 0\r\n\r\n"]
        }
        defer {
            server.stop()
            other.stop()
        }
        #expect(try await ask(server.address).status == 307)
        #expect(other.requests.isEmpty)
    }

    @Test func `A cookie is neither kept nor sent`() async throws {
        let server = try RawServer { _ in
            ["HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"]
        }
        defer { server.stop() }
        let transport = URLSessionTransport()
        let url = try #require(URL(string: server.address))
        for _ in 0..<2 {
            _ = try await transport.send(
                TransportRequest(method: "GET", url: url, fields: [:], body: nil, timeLimit: 10))
        }
        #expect(server.requests.count == 2 && server.requests.allSatisfy { !$0.lowercased().contains("cookie") })
    }

    @Test func `An answer that is too long is refused`() async throws {
        let long = String(repeating: " ", count: URLSessionTransport.maximumBody + 1)
        let server = try RawServer { _ in ["HTTP/1.1 200 OK\r\nContent-Length: \(long.utf8.count)\r\n\r\n", long] }
        defer { server.stop() }
        await #expect(throws: TransportFailure.tooLong) { try await ask(server.address) }
    }

    @Test func `An answer without end is ended where it becomes too long`() async throws {
        let (part, count) = (String(repeating: " ", count: 1 << 16), 8192)
        // With pauses: Linux reads hundreds of megabytes of a server that has none before it closes the connection.
        let server = try RawServer(pausing: 0.002) { _ in
            ["HTTP/1.1 200 OK\r\n\r\n"] + Array(repeating: part, count: count)
        }
        defer { server.stop() }
        await #expect(throws: TransportFailure.tooLong) { try await ask(server.address, within: 60) }
        while !server.isQuiet { try await Task.sleep(for: .milliseconds(2)) }
        #expect((17..<count).contains(server.partsSent), "\(server.partsSent)")
    }

    @Test func `Many requests at once get their own answers`() async throws {
        let server = try RawServer { request in
            let path = request.split(separator: " ")[1]
            return ["HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\nConnection: close\r\n\r\n\(path)"]
        }
        defer { server.stop() }
        let transport = URLSessionTransport()
        let address = server.address
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let url = try #require(URL(string: "\(address)/\(number)"))
                    let request = TransportRequest(method: "GET", url: url, fields: [:], body: nil, timeLimit: 60)
                    return try await transport.send(request).body == Data("/\(number)".utf8)
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }
}
