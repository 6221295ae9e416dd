#if CLI
import ArgumentParser
import DeviceRecords
import TextCodecs

struct DevicesErase: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase everything about devices, or about a subscriber.",
        discussion: """
            Examples:
              tve devices erase --store sqlite:devices.sqlite living-room-tv --yes
              tve devices erase --store sqlite:devices.sqlite \\
                  --subscriber - --yes < subscriber.txt

            The records are removed, whether or not they open. Nothing is sent: profiles at the broker stay until they \
            end, but are bound to credentials that are gone; log the device out first if they should end now. A device \
            that comes back registers anew. Servers that run drop what they remember of a device when it is next used, \
            so erase devices that are not in use.

            Exit codes: 0 erased, or there was nothing; 64 usage; 66 no such file; 69 the store does not answer, and \
            some records may be left; 74 input or output failed; 78 the store or its keys cannot be used.
            """
    )

    @OptionGroup var options: DeviceStoreOptions
    var output: OutputForm { options.output }

    @OptionGroup var choice: DeviceChoice

    @Flag(name: .long, help: "Confirm that all logins of these devices end.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("All logins of these devices end; confirm it with --yes.") }
    }

    func run() throws {
        let chosen = try choice.chosen()
        let count = try awaiting { [options] in
            let directory = try await options.directory()
            return try await Self.erase(chosen, in: directory)
        }
        try Console.show("erased \(count)\n", in: output) { $0.member("erased", count) }
    }

    private static func erase(
        _ chosen: DeviceChoice.Chosen,
        in directory: DeviceDirectory
    ) async throws -> Int {
        var count = 0
        switch chosen {
        case .devices(let devices):
            for device in devices where try await directory.forget(device) { count += 1 }
        case .records(let keys):
            for key in keys where try await directory.forget(at: key) { count += 1 }
        case .subscriber(let subscriber): count = try await directory.forgetDevices(of: subscriber)
        }
        return count
    }
}
#endif
