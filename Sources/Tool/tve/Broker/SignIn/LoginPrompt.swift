#if CLI && Client
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HostSystem
import QRCodes
import ServiceResponses
import TextCodecs

/// What `tve broker login` shows a user who has to sign in somewhere else.
struct LoginPrompt {
    let code: ActivationCode
    /// Whether the address is shown; otherwise the code is typed at a page of the programmer's.
    let showsAddress: Bool

    /// The address, if there is one and it is to be shown.
    var url: String? { showsAddress ? code.url : nil }

    /// The text for people; on a terminal, if there is one, the address is shown as a QR code, too.
    func text(on screen: TextScreen?) -> String {
        let typed = code.code.text.printable
        guard let url else {
            let missing = code.missingParameters.map(\.rawValue.printable).joined(separator: ", ")
            let wanted = missing.isEmpty ? "" : ", which asks for what is still missing (\(missing))"
            return "Type this code at your activation page\(wanted):\n\n  \(typed)\n\nIt is good until \(code.until).\n"
        }
        let picture = screen?.picture(of: url).map { "\($0)\n" } ?? ""
        return """
            Open this address on any device, and sign in there:

              \(url.printable)

            \(picture)Its code \(typed) is good until \(code.until).

            """
    }

    /// A JSON object with `step`, `code`, `url`, `until` and `missing`.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("step", "code")
        object.member("code", code.code.text)
        object.member("url", ifPresent: url)
        object.member("until", ifPresent: code.until)
        object.name("missing")
        object.array { array in
            for parameter in code.missingParameters { array.value(parameter.rawValue) }
        }
        return object
    }
}
#endif
