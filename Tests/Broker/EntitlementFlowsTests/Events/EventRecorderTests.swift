#if Client
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Synchronization
import Testing

@Suite("Events that are read later")
struct EventRecorderTests {
    @Test func `A recorder has the events of a command once it has returned, each once, in their order`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let recorder = bench.session.recordEvents()
        #expect(recorder.take().isEmpty)
        _ = try await bench.session.checkAuthorization("news")
        #expect(recorder.take().map(\.description) == ["authenticated", "permitted", "tracking of authorization"])
        #expect(recorder.take().isEmpty)
    }

    @Test func `A recorder says how many events it has lost`() async throws {
        let bench = try await AuthorizationBench()
        let recorder = bench.session.recordEvents()
        for number in 1...70 { bench.session.listeners.send(.requestorComplete(number == 70)) }
        let events = recorder.take()
        #expect(events.count == 65)
        #expect(events.first?.description == "6 events were missed")
        #expect(events.last?.description == "requestor is set")
    }

    @Test func `A recorder that is gone is not in use`() async throws {
        let bench = try await AuthorizationBench()
        var recorder: EventRecorder? = bench.session.recordEvents()
        #expect(bench.session.listeners.listenerCount == 1)
        _ = recorder?.take()
        recorder = nil
        #expect(bench.session.listeners.listenerCount == 0)
    }

    @Test func `An observer gets the events of all sessions, with the device and its visitor`() async throws {
        let seen = Mutex<[String]>([])
        var options = SessionOptions()
        options.visitorIdentifier = try VisitorIdentifier("visitor-7")
        let bench = try await AuthorizationBench(options: options) { application, _ in
            application.observer = { event in
                seen.withLock { $0.append("\(event) \(event.device.rawValue) \(event.visitor?.text ?? "none")") }
            }
        }
        try await bench.signIn()
        _ = try await bench.session.checkAuthorization("news")
        #expect(
            seen.withLock { $0 } == [
                "authenticated device-key visitor-7", "permitted device-key visitor-7",
                "tracking of authorization device-key visitor-7",
            ])
    }
}
#endif
