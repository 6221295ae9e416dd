#if Redis
import Foundation
import Synchronization
import TestServers

/// A server that listens like Redis and answers what a test wants.
final class FakeServer: Sendable {
    enum Reaction: Sendable {
        case say(String)
        case sayBytes([UInt8])
        /// Says nothing, and reads on.
        case nothing
        /// Says something and ends the connection.
        case end(String)
        /// Says something again and again, 50 times a second, until the other side ends the connection.
        case trickle(String)
    }

    let path: String
    /// The port of 127.0.0.1, if it listens on one and not at the path.
    let port: Int
    private let listener: Socket
    private let react: @Sendable ([String]) -> Reaction
    private let state = Mutex((commands: [[String]](), peers: [Socket](), counts: Counts()))
    private struct Counts {
        var accepted = 0
        var ended = 0
        var trickled = 0
    }

    /// Starts listening, and answers each command as the closure says.
    init(_ react: @escaping @Sendable ([String]) -> Reaction) throws {
        // Short, since the path of a socket may have only about a hundred bytes.
        path = "/tmp/tve-\(UUID().uuidString.prefix(13)).sock"
        (listener, port) = (try Socket.listening(at: path), 0)
        self.react = react
        takePeers()
    }

    private init(_ listener: Socket, port: Int, _ react: @escaping @Sendable ([String]) -> Reaction) {
        (self.listener, self.port, self.react, path) = (listener, port, react, "")
        takePeers()
    }

    /// Listens on a port, and answers each command as the closure says.
    static func onPort(_ react: @escaping @Sendable ([String]) -> Reaction) throws -> FakeServer {
        let (listener, port) = try Socket.listening()
        return FakeServer(listener, port: port, react)
    }

    private func takePeers() {
        Thread.detachNewThread { [listener, weak self] in
            while let peer = listener.nextPeer() {
                guard let self else { return }
                state.withLock {
                    $0.peers.append(peer)
                    $0.counts.accepted += 1
                }
                Thread.detachNewThread { [weak self] in
                    FakeServer.serve(peer, note: { part in self?.count(part) }, { self?.reaction(to: $0) })
                }
            }
        }
    }

    /// Answers INFO and CLIENT as a healthy server does, and redemptions as the closure says.
    convenience init(redemptions react: @escaping @Sendable ([String]) -> Reaction) throws {
        try self.init { command in
            switch command[0] {
            case "INFO": .say(Self.info(of: command[1]))
            case "CLIENT": .say("+OK\r\n")
            default: react(command)
            }
        }
    }

    static func info(of section: String, _ changes: [String: String] = [:]) -> String {
        let sections = [
            "server": ["redis_mode": "standalone", "run_id": "0123456789abcdef0123456789abcdef01234567"],
            "replication": ["role": "master"], "memory": ["maxmemory_policy": "noeviction"],
            "persistence": ["aof_enabled": "1"],
        ]
        let lines = (sections[section] ?? [:]).map { "\($0):\(changes[$0] ?? $1)\r\n" }.joined()
        return "$\(lines.utf8.count)\r\n\(lines)\r\n"
    }

    /// All commands that arrived, except those that begin each connection: INFO and CLIENT.
    var commands: [[String]] { state.withLock { $0.commands.filter { !["INFO", "CLIENT"].contains($0[0]) } } }
    var connections: Int { state.withLock { $0.counts.accepted } }
    /// How many connections the server has ended; the other side can know of each.
    var ended: Int { state.withLock { $0.counts.ended } }
    /// How often it has said what it says again and again.
    var trickled: Int { state.withLock { $0.counts.trickled } }

    /// Ends a connection; the other side can know of it at once.
    ///
    /// - Parameter number: Its number in the order in which they were opened.
    func end(_ number: Int) { state.withLock { $0.peers[number] }.shut() }

    func stop() {
        listener.shut()
        for peer in state.withLock({ $0.peers }) { peer.shut() }
        if !path.isEmpty { try? FileManager.default.removeItem(atPath: path) }
    }

    private func reaction(to command: [String]) -> Reaction {
        state.withLock { $0.commands.append(command) }
        return react(command)
    }

    private func count(_ part: WritableKeyPath<Counts, Int>) { state.withLock { $0.counts[keyPath: part] += 1 } }

    private static func serve(
        _ peer: Socket,
        note: (WritableKeyPath<Counts, Int>) -> Void,
        _ react: ([String]) -> Reaction?
    ) {
        var unread: [UInt8] = []
        while true {
            let bytes = peer.read(within: nil)
            if bytes.isEmpty { return }
            unread += bytes
            while let command = nextCommand(&unread) {
                switch react(command) {
                case .say(let text): peer.write(Array(text.utf8))
                case .sayBytes(let bytes): peer.write(bytes)
                case .nothing: break
                case .end(let text):
                    peer.write(Array(text.utf8))
                    peer.shut()
                    return note(\.ended)
                case .trickle(let text):
                    while peer.write(Array(text.utf8)) {
                        note(\.trickled)
                        Thread.sleep(forTimeInterval: 0.02)
                    }
                    return
                case nil: return peer.shut()
                }
            }
        }
    }

    /// Removes a whole command from the front: `*2`, then for each word `$3` and the word.
    private static func nextCommand(_ unread: inout [UInt8]) -> [String]? {
        let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count > 1, let count = Int(String(decoding: lines[0].dropFirst().dropLast(), as: UTF8.self)),
            lines.count > 1 + 2 * count
        else { return nil }
        let words = (0..<count).map { String(decoding: lines[2 + 2 * $0].dropLast(), as: UTF8.self) }
        unread = Array(unread[lines[2 * count].endIndex...].dropFirst())
        return words
    }
}
#endif
