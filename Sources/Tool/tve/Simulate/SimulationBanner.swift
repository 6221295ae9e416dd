#if CLI && Service
import BrokerSimulation
import EntitlementValues
import TextCodecs

/// What a started simulator says on standard output: what to copy.
struct SimulationBanner: Sendable {
    private let requestor: RequestorID?
    private let statement: String?
    private let mediaKey: String
    private let metadataKey: String?
    private let line: String
    private let warnsOfOthers: Bool

    init(_ simulator: BrokerSimulator, _ place: SimulationPlace, metadataKey: String?, warnsOfOthers: Bool) {
        requestor = simulator.world.requestors.first { !$0.statements.isEmpty }?.id
        statement = requestor.flatMap { try? simulator.softwareStatement(of: $0) }
        mediaKey = place.mediaKeyFile ?? simulator.keys.mediaPEM
        self.metadataKey = metadataKey
        line = place.line
        self.warnsOfOthers = warnsOfOthers
    }

    /// Writes the banner, in JSON as one line for programs.
    ///
    /// `origin` is where the simulator listens. Throws `CommandFailure` or `ExitCode` if it cannot be written.
    func write(_ origin: String, as form: OutputForm) throws {
        if warnsOfOthers {
            Console.note(
                "warning: other machines can reach this simulator, which protects nothing", code: "listens_anywhere",
                as: form)
        }
        let lines = [
            ("broker", origin), ("requestor", requestor?.rawValue ?? "none"), ("statement", statement ?? "none"),
            ("media key", mediaKey.hasPrefix("-----") ? "\(origin)/sim/keys/media.pem" : mediaKey),
            ("metadata key", metadataKey ?? "none"), ("overview", "\(origin)/"),
            ("activation", "\(origin)/sim/activate"),
            ("control", "\(origin)/sim"),
        ]
        let warning = warnsOfOthers ? "WARNING: other machines can reach it, and it protects nothing.\n" : ""
        let text = "A simulated broker: nothing in it is real.\n\(warning)\(aligned(lines))\(line)\nCtrl-C stops it.\n"
        try Console.show(text, in: form) { object in
            object.member("url", origin)
            object.member("requestor", requestor?.rawValue ?? "")
            object.member("softwareStatement", statement ?? "")
            object.member("mediaKey", mediaKey)
            if let metadataKey { object.member("metadataKey", metadataKey) }
            object.member("control", "\(origin)/sim")
        }
    }
}
#endif
