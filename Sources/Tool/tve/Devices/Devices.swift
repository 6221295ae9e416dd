#if CLI
import ArgumentParser

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Look after a store of devices: make its keys, list, show, erase, seal with a new key.",
        discussion: """
            Examples:
              tve devices keys devices.keys
              tve devices list --store sqlite:devices.sqlite
              tve devices show --store sqlite:devices.sqlite living-room-tv
              tve devices erase --store redis://store.example:6379/0 \\
                  --sealing-keys devices.keys --subscriber - --yes < subscriber.txt
              tve devices reseal --store sqlite:devices.sqlite

            A store holds one record for each device: credentials, access token, provider, what is known of the \
            profile. Records are sealed; all commands but list need the keys.

            Exit codes: 0 done; 17 no such device; 64 usage; 66 no such file; 69 the store does not answer; 74 input or \
            output failed; 78 the store or its keys cannot be used, or a record does not open; 130, 143 stopped.
            """,
        subcommands: [DevicesKeys.self, DevicesList.self, DevicesShow.self, DevicesErase.self, DevicesReseal.self]
    )
}

#endif
