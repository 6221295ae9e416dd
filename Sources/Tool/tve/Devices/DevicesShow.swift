#if CLI
import ArgumentParser
import DeviceRecords
import TextCodecs

struct DevicesShow: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a support engineer may see of a device.",
        discussion: """
            Examples:
              tve devices show --store sqlite:devices.sqlite living-room-tv
              tve devices show --store sqlite:devices.sqlite --subscriber - \\
                  --output json < subscriber.txt

            It says what is there and until when. Secrets, tokens, codes, identifiers, what was watched and what the \
            provider tells of the user are never shown. Looking is not a use, so the record does not live longer.

            Exit codes: 0 done; 17 no such device; 64 usage; 66 no such file; 69 the store does not answer; 74 input or \
            output failed; 78 the store or its keys cannot be used, or a record does not open.
            """
    )

    @OptionGroup var options: DeviceStoreOptions
    var output: OutputForm { options.output }

    @OptionGroup var choice: DeviceChoice

    func run() throws {
        let chosen = try choice.chosen()
        let records = try awaiting { [options] in
            let directory = try await options.directory()
            return try await Self.find(chosen, in: directory)
        }
        let found = records.compactMap(\.self)
        switch output {
        case .text: try Console.write(found.map(\.shownText).joined(separator: "\n"))
        case .json:
            var object = JSONWriter()
            object.member("devices", found.map(\.shownObject))
            try Console.write(object)
        }
        guard !found.isEmpty, found.count == records.count else {
            let missing = max(1, records.count - found.count)
            throw CommandFailure(
                "no_such_device", "\(missing == 1 ? "a device" : "\(missing) devices") not found in the store",
                exitCode: .unknownDevice)
        }
    }

    private static func find(
        _ chosen: DeviceChoice.Chosen,
        in directory: DeviceDirectory
    ) async throws -> [KeptRecord?] {
        var found: [KeptRecord?] = []
        switch chosen {
        case .devices(let devices):
            for device in devices { found.append(try await directory.keptRecord(of: device)) }
        case .records(let keys):
            for key in keys { found.append(try await directory.keptRecord(at: key)) }
        case .subscriber(let subscriber):
            for device in try await directory.devices(of: subscriber) {
                // It may be gone since.
                if let record = try await directory.keptRecord(of: device) { found.append(record) }
            }
        }
        return found
    }
}
#endif
