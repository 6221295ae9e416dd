#if CLI
import ArgumentParser
#if Client
import DeviceRecords
import HostSystem
import TextCodecs
#endif

struct BrokerForget: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget this machine's registration, and everything else in the state file.",
        discussion: """
            Example:
              tve broker forget --yes

            All logins of this device end: the broker binds them to the credentials, which cannot be had again. The \
            next call registers anew, as a new device. Nothing is sent.

            Exit codes: 0 forgotten, or there was nothing; 64 usage; 66 the sealing keys are missing; 69 the file does \
            not answer; 74 output failed; 78 the file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions
    var output: OutputForm { options.output }

    @Flag(name: .long, help: "Confirm that all logins of this device end.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("All logins of this device end; confirm it with --yes.") }
    }

    #if Client
    func run() throws {
        let path = try options.statePath()
        let hadRecord = try awaiting {
            do {
                guard Files.exists(path) else { return false }
                let state = try await BrokerState(path: path)
                return try await state.directory.forget(BrokerState.device)
            } catch {
                throw options.ending(with: error)
            }
        }
        switch output {
        case .text: try Console.write(hadRecord ? "forgotten\n" : "there was nothing to forget\n")
        case .json:
            var object = JSONWriter()
            object.member("forgotten", hadRecord)
            try Console.write(object)
        }
    }
    #else
    func run() throws { throw CommandFailure.noClient }
    #endif
}
#endif
