#if Service
import Foundation
import HostSystem
import Logging
import NIOCore
import NIOPosix
import TestServers
import Testing

@testable import TVEService

/// What systemd, or a container's health check, hears of `tve serve`.
@Suite struct ServiceManagerTests {
    @Test func theManagerHearsOfTheWholeLife() async throws {
        let socket = try NotifySocket(at: "@tve-notify-\(UUID().uuidString)")
        let environment = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "300000"]
        let process = try await ServeProcess([:], environment: environment, standardError: Pipe())
        let heard = Heard(socket)
        #expect(heard.next() == "READY=1")
        for _ in 0..<3 { #expect(heard.next() == "WATCHDOG=1") }
        process.kill(SIGHUP)
        #expect(heard.nextChange()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(heard.nextChange() == "READY=1")
        process.kill(SIGTERM)
        #expect(heard.nextChange() == "STOPPING=1")
        #expect(process.exitCode() == 0)
    }

    @Test func withoutAManagerItServesAsBefore() async throws {
        let process = try await ServeProcess([:], environment: ["NOTIFY_SOCKET": ""], standardError: Pipe())
        process.kill(SIGTERM)
        #expect(process.exitCode() == 0)
    }

    @Test func aManagerThatIsAwayIsInTheLogAndStopsNothing() async throws {
        let log = Pipe()
        let process = try await ServeProcess([:], environment: ["NOTIFY_SOCKET": "/nowhere/socket"], standardError: log)
        process.kill(SIGTERM)
        #expect(process.exitCode() == 0)
        let text = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text.contains("the service manager could not be told"))
    }

    @Test func aStuckEventLoopIsNotToldAlive() async throws {
        let socket = try NotifySocket(at: "@tve-notify-\(UUID().uuidString)")
        let variables = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "150000"]
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let notices = ManagerNotices(
            to: ServiceManager { variables[$0] }, watching: loops, logger: Logger(label: "test"))
        let serving = Task { await notices.serving() }
        let heard = Heard(socket)
        #expect(heard.next() == "READY=1")
        #expect(heard.next() == "WATCHDOG=1")
        let (stuck, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loops.next().execute {
            stuck.signal()
            isFree.wait()
        }
        await Task.detached { Self.wait(for: stuck) }.value
        // What was said while the loop was not stuck yet.
        while socket.next(within: 1) != nil {}
        #expect(socket.next(within: 2) == nil)
        isFree.signal()
        #expect(heard.next() == "WATCHDOG=1")
        serving.cancel()
        await serving.value
        try await loops.shutdownGracefully()
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    #if os(Linux)
    @Test func aCrashWritesNoMemoryToAFile() async throws {
        let process = try await ServeProcess([:], standardError: Pipe())
        let limits = try String(contentsOfFile: "/proc/\(process.identifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
    #endif

    @Test func healthIsThatOfTheRunningService() async throws {
        let process = try await ServeProcess([:], standardError: Pipe())
        // As in a container, where the listener is open to all addresses.
        for host in ["127.0.0.1", "0.0.0.0"] {
            let place = ["internal.host": host, "internal.port": "\(process.internalPort)"]
            let alive = try ServeProcess.run("--health", place)
            #expect(alive == (0, "", ""))
        }
        // The public listener has no such path.
        let other = try ServeProcess.run("--health", ["internal.port": "\(process.publicPort)", "public.port": "1"])
        #expect(other.exitCode == 69)
        #expect(other.error.contains("/healthz answers with status 404"))
        process.kill(SIGTERM)
        #expect(process.exitCode() == 0)
        let gone = try ServeProcess.run("--health", ["internal.port": "\(process.internalPort)"])
        #expect(gone.exitCode == 69)
        #expect(gone.error.contains("does not answer"))
    }
}

/// Takes what was said one after the other.
private struct Heard {
    private let socket: NotifySocket

    init(_ socket: NotifySocket) { self.socket = socket }

    func next() -> String? { socket.next(within: 20) }

    /// What was said next that is not the sign of life.
    func nextChange() -> String? {
        while let word = next() {
            if word != "WATCHDOG=1" { return word }
        }
        return nil
    }
}
#endif
