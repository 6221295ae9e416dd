#if CLI
import ArgumentParser
#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import TextCodecs
#endif

struct BrokerResetTemporary: BrokerSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-temporary",
        abstract: "Let temporary access begin anew, for one device or identity, or for all.",
        discussion: """
            Examples:
              tve broker reset-temporary --mvpd TempPass --this-device \\
                  --requestor REF30 --statement reset.jwt
              tve broker reset-temporary --mvpd TempPass --device DEVICE-ID \\
                  --requestor REF30 --statement reset.jwt
              tve broker reset-temporary --mvpd Promo --every-identity \\
                  --requestor REF30 --statement reset.jwt

            --statement is one with the scope temporary:passes:owner, which the broker's operator issues for resets; that of \
            an app is refused. This machine is registered with it beside its registration for the app.

            Exit codes: 0 done; 23 throttled; 24 must register anew; 64 usage; 66 no such file; 69 no answer; 74 output \
            failed; 78 the broker refuses the request, or a file cannot be used.
            """
    )

    @OptionGroup var options: BrokerOptions

    @Option(name: .long, help: ArgumentHelp("The pseudo provider of the temporary access.", valueName: "id"))
    var mvpd: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The origin where resets are made (default: that of the operator's environment, or --at).",
            valueName: "origin"))
    var management: String?

    @Flag(name: .long, help: "Reset this device.")
    var thisDevice = false

    @Option(
        name: .long, help: ArgumentHelp("Reset one device, by the identifier that the broker knows.", valueName: "id"))
    var device: String?

    @Flag(name: .long, help: "Reset every device.")
    var everyDevice = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Reset one identity of promotional access, by the hash of the user's identifier.", valueName: "hash"))
    var identityHash: String?

    @Flag(name: .long, help: "Reset every identity of promotional access.")
    var everyIdentity = false

    func validate() throws {
        let chosen = [thisDevice, device != nil, everyDevice, identityHash != nil, everyIdentity].count { $0 }
        guard chosen == 1 else {
            throw ValidationError(
                "Give one of --this-device, --device ID, --every-device, --identity-hash HASH and --every-identity.")
        }
    }

    #if Client
    func run(_ conversation: BrokerConversation) async throws {
        let scope: TemporaryAccessScope =
            if let device {
                .device(device)
            } else if let identityHash {
                .identity(hash: identityHash)
            } else if everyDevice {
                .everyDevice
            } else if everyIdentity {
                .everyIdentity
            } else {
                .device(conversation.caller.device.identifier.text)
            }
        try await conversation.caller.resetTemporaryAccess(scope, mvpd: MVPDID(mvpd), requestor: conversation.requestor)
        try Console.show("temporary access of \(mvpd.printable) begins anew for \(scope)\n", in: output) { object in
            object.member("reset", "\(scope)")
            object.member("mvpd", mvpd)
        }
    }
    #endif
}
#endif
