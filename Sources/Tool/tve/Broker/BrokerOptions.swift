#if CLI
import ArgumentParser
import HostSystem
import TextCodecs
#if Client
import DeviceRecords
import EntitlementFlows
#endif

/// Which broker is called, as which application and device, and where that is kept.
struct BrokerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The broker's origin, as https://HOST[:PORT] (default: the variable TVE_BROKER).", valueName: "origin"))
    var at: String?

    @Option(name: .long, help: ArgumentHelp("The requestor (the broker's serviceProvider).", valueName: "id"))
    var requestor: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with the application's software statement.", valueName: "file"),
        completion: .file())
    var statement: String?

    @Option(
        name: .long, help: ArgumentHelp("A PEM file with the authorities of a test server.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The file that keeps credentials and tokens, sealed with the key in FILE.keys (default: tve/broker.sqlite \
            under XDG_STATE_HOME or ~/.local/state).
            """, valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with what the device says of itself, the JSON of X-Device-Info (default: this machine's).",
            valueName: "file"),
        completion: .file())
    var deviceInfo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The IP address that the device has on the internet, which goes into X-Forwarded-For.", valueName: "address"
        ))
    var clientAddress: String?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    @Flag(name: .long, help: "Show each request and answer on standard error, with secrets masked.")
    var trace = false

    func validate() throws {
        let options = [
            ("at", at), ("requestor", requestor), ("statement", statement), ("ca", ca), ("state", state),
            ("device-info", deviceInfo), ("client-address", clientAddress),
        ]
        for (name, value) in options where value == "" {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
    }

    #if Client
    /// What ends the command if this error does: one of the state file names it.
    func ending(with error: any Error) -> any Error {
        switch error {
        case EntitlementFlowError.store(let error): ending(with: error)
        case is DeviceRecordsError: CommandFailure(any: error, option: "--state", file: state) ?? error
        default: error
        }
    }
    #endif

    /// The text of the broker's origin; throws `ValidationError` if none was given.
    func origin() throws -> String {
        guard let origin = at ?? environmentValue("TVE_BROKER"), !origin.isEmpty else {
            throw ValidationError("Give --at URL, or set TVE_BROKER.")
        }
        return origin
    }

    /// The path of the state file.
    ///
    /// Throws `ValidationError` if none was given, and the environment does not say where state belongs.
    func statePath() throws -> String {
        if let state { return state }
        if let folder = environmentValue("XDG_STATE_HOME"), folder.hasPrefix("/") {
            return "\(folder)/tve/broker.sqlite"
        }
        guard let home = environmentValue("HOME"), home.hasPrefix("/") else {
            throw ValidationError("Give --state FILE, since neither XDG_STATE_HOME nor HOME is set.")
        }
        return "\(home)/.local/state/tve/broker.sqlite"
    }
}
#endif
