import Foundation
import HostSystem
import TestServers
import Testing

/// What a service manager hears on a real socket.
@Suite struct ServiceManagerTests {
    @Test(arguments: ["/tmp/tve-notify-", "@tve-notify-"])
    func `Every word arrives`(at prefix: String) throws {
        let socket = try NotifySocket(at: prefix + UUID().uuidString)
        defer { try? FileManager.default.removeItem(atPath: socket.address) }
        let manager = try #require(ServiceManager { ["NOTIFY_SOCKET": socket.address][$0] })
        #expect(manager.watchdogLimit == nil)
        let before = ProcessInfo.processInfo.systemUptime
        for word in [ServiceManager.Word.ready, .stopping, .alive, .reloading] { try manager.tell(word) }
        let after = ProcessInfo.processInfo.systemUptime
        #expect(socket.next(within: 120) == "READY=1")
        #expect(socket.next(within: 120) == "STOPPING=1")
        #expect(socket.next(within: 120) == "WATCHDOG=1")
        let reloading = try #require(socket.next(within: 120)?.split(separator: "\n"))
        #expect(reloading.first == "RELOADING=1")
        // systemd takes a time of the future, or of long ago, for that of another reload.
        let time = try #require(reloading.last?.split(separator: "=").last.flatMap { Double($0) })
        #expect(reloading.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect(before - 600...after + 600 ~= time / 1e6)
    }

    @Test func `Without a socket there is no manager`() {
        #expect(ServiceManager { _ in nil } == nil)
        #expect(ServiceManager { ["NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "1000"][$0] } == nil)
    }

    @Test func `The watchdog is that of this process`() throws {
        let limit = { (variables: [String: String]) in
            ServiceManager { variables.merging(["NOTIFY_SOCKET": "/x"]) { own, _ in own }[$0] }?.watchdogLimit
        }
        #expect(limit(["WATCHDOG_USEC": "3000000"]) == .seconds(3))
        #expect(limit(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(3))
        // Another process of the unit is watched.
        #expect(limit(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"]) == nil)
        for value in ["", "0", "-1", "soon"] { #expect(limit(["WATCHDOG_USEC": value]) == nil) }
    }

    @Test(arguments: ["/nowhere/notify", "/" + String(repeating: "x", count: 200)])
    func `A manager that is away is an error`(at path: String) throws {
        let manager = try #require(ServiceManager { ["NOTIFY_SOCKET": path][$0] })
        #expect(throws: FileFailure.self) { try manager.tell(.ready) }
    }

    @Test func `A manager that does not read holds nothing up`() throws {
        let socket = try NotifySocket(at: "@tve-notify-" + UUID().uuidString)
        let manager = try #require(ServiceManager { ["NOTIFY_SOCKET": socket.address][$0] })
        // The queue of a Unix datagram socket is short.
        #expect(throws: FileFailure.self) { for _ in 0..<10_000 { try manager.tell(.alive) } }
    }
}
