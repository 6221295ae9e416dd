#if CLI
import ArgumentParser
import DeviceRecords
import SealedRecords
import TextCodecs

/// Which devices a command is about.
struct DeviceChoice: ParsableArguments {
    @Argument(help: "The devices, by your own server's names for them; - reads one a line from standard input.")
    var devices: [String] = []

    @Option(
        name: .customLong("record"),
        help: ArgumentHelp("The place of a record, as list shows it. May be repeated.", valueName: "place"))
    var records: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("All devices of a subscriber; - reads the name from standard input.", valueName: "name"))
    var subscriber: String?

    /// One of the ways to name devices.
    enum Chosen: Sendable {
        case devices([DeviceKey])
        case records([RecordKey])
        case subscriber(String)
    }

    private static let maximumInput = 1 << 24

    func validate() throws {
        guard [!devices.isEmpty, !records.isEmpty, subscriber != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of DEVICE …, --record and --subscriber.")
        }
        guard !devices.contains(""), subscriber != "" else {
            throw ValidationError("A name is empty (an unset variable?).")
        }
        guard !devices.contains("-") || devices.count == 1 else {
            throw ValidationError("- stands alone: standard input has all the names.")
        }
        _ = try places()
    }

    /// What was chosen, from standard input if that was said.
    ///
    /// Throws `CommandFailure` if standard input cannot be read, or has no name.
    func chosen() throws -> Chosen {
        if let subscriber {
            guard subscriber == "-" else { return .subscriber(subscriber) }
            let names = try lines("the subscriber's name")
            guard names.count == 1 else {
                throw CommandFailure.usage("--subscriber: standard input has \(names.count) names instead of one")
            }
            return .subscriber(names[0])
        }
        if !records.isEmpty { return .records(try places()) }
        guard devices == ["-"] else { return .devices(devices.map { DeviceKey($0) }) }
        return .devices(try lines("the devices' names").map { DeviceKey($0) })
    }

    private func lines(_ what: String) throws -> [String] {
        let bytes = try TokenInput.standardInput(what, upTo: Self.maximumInput + 1)
        guard bytes.count <= Self.maximumInput else {
            throw CommandFailure.usage("standard input has more than \(Self.maximumInput) bytes; split it")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.usage("standard input is not UTF-8")
        }
        // CR LF is one character.
        let lines = text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        guard !lines.isEmpty else { throw CommandFailure.usage("standard input has no name") }
        return lines
    }

    private func places() throws -> [RecordKey] {
        try records.map { text in
            guard let key = RecordKey(hexadecimal: text) else {
                throw ValidationError("--record takes 64 lower-case hexadecimal digits, as list shows them.")
            }
            return key
        }
    }
}
#endif
