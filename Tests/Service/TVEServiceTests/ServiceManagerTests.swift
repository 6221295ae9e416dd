#if Service
import EntitlementValues
import Foundation
import HostSystem
import Logging
import NIOCore
import NIOPosix
import TVEService
import TestVectors
import TVETesting
import TestServers
import Testing

/// What systemd, or a container's health check, hears of `tve serve`.
@Suite struct ServiceManagerTests {
    @Test func `The manager hears of the whole life`() async throws {
        let socket = try NotifySocket(at: "@tve-notify-\(UUID().uuidString)")
        let environment = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "300000"]
        let process = try await ServeProcess([:], environment: environment)
        let heard = Heard(socket)
        #expect(try await heard.next() == "READY=1")
        for _ in 0..<3 { #expect(try await heard.next() == "WATCHDOG=1") }
        process.program.send(SIGHUP)
        #expect(try await heard.nextChange()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(try await heard.nextChange() == "READY=1")
        process.program.send(SIGTERM)
        #expect(try await heard.nextChange() == "STOPPING=1")
        #expect(try await process.program.end() == 0)
    }

    @Test func `Without a manager it serves as before`() async throws {
        let process = try await ServeProcess([:], environment: ["NOTIFY_SOCKET": ""])
        process.program.send(SIGTERM)
        #expect(try await process.program.end() == 0)
    }

    @Test func `A manager that is away is in the log and stops nothing`() async throws {
        let process = try await ServeProcess([:], environment: ["NOTIFY_SOCKET": "/nowhere/socket"])
        process.program.send(SIGTERM)
        #expect(try await process.program.end() == 0)
        #expect(try await process.log.wholeText().contains("the service manager could not be told"))
    }

    @Test func `A stuck event loop is not told alive`() async throws {
        let socket = try NotifySocket(at: "@tve-notify-\(UUID().uuidString)")
        let variables = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "150000"]
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let time = ManualTime(at: .now)
        let notices = ManagerNotices(
            to: ServiceManager { variables[$0] }, watching: loops, logger: Logger(label: "test"), time: time.source)
        let serving = Task { await notices.serving() }
        let heard = Heard(socket)
        #expect(try await heard.next() == "READY=1")
        #expect(try await heard.next() == "WATCHDOG=1")
        try await eventually { time.sleepers == 1 }
        let (stuck, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loops.next().execute {
            stuck.signal()
            isFree.wait()
        }
        #expect(try await onOwnThread { stuck.hold() })
        time.advance(by: .milliseconds(50))
        // It asks the loops now, and would have said so and gone to sleep again.
        #expect(try await onOwnThread { socket.next(within: 1) } == nil)
        #expect(time.sleepers == 0)
        isFree.signal()
        #expect(try await heard.next() == "WATCHDOG=1")
        serving.cancel()
        await serving.value
        try await loops.shutdownGracefully()
    }

    #if os(Linux)
    @Test func `A crash writes no memory to a file`() async throws {
        let process = try await ServeProcess([:])
        let limits = try String(contentsOfFile: "/proc/\(process.program.identifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
    #endif

    @Test func `Health is that of the running service`() async throws {
        let process = try await ServeProcess([:])
        // As in a container, where the listener is open to all addresses.
        for host in ["127.0.0.1", "0.0.0.0"] {
            let place = ["internal.host": host, "internal.port": "\(process.internalPort)"]
            // Its limit of three seconds may be too short for a busy machine.
            let alive = try await polled {
                let found = try await ServeProcess.run("--health", place)
                return found.exitCode == 0 ? found : nil
            }
            #expect((alive.exitCode, alive.output, alive.error) == (0, "", ""))
        }
        // The public listener has no such path.
        let other = try await polled {
            let place = ["internal.port": "\(process.publicPort)", "public.port": "1"]
            let found = try await ServeProcess.run("--health", place)
            return found.error.contains("does not answer") ? nil : found
        }
        #expect(other.exitCode == 69)
        #expect(other.error.contains("/healthz answers with status 404"))
        process.program.send(SIGTERM)
        #expect(try await process.program.end() == 0)
        // Another process may have got its port by now; nobody listens at this one.
        let gone = try await ServeProcess.run("--health", ["internal.port": "1"])
        #expect(gone.exitCode == 69)
        #expect(gone.error.contains("does not answer"))
    }
}

/// Takes what was said one after the other.
private struct Heard {
    private let socket: NotifySocket

    init(_ socket: NotifySocket) { self.socket = socket }

    /// What was said next; `nil` if nothing is said for two minutes.
    func next() async throws -> String? { try await onOwnThread { [socket] in socket.next(within: 120) } }

    /// What was said next that is not the sign of life.
    func nextChange() async throws -> String? {
        for _ in 0..<6000 {
            guard let word = try await next() else { return nil }
            if word != "WATCHDOG=1" { return word }
        }
        return nil
    }
}
#endif
