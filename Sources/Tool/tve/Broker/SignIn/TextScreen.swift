#if CLI && Client
import HostSystem
import QRCodes

/// A terminal that shows half blocks in colours.
struct TextScreen {
    let columns: Int
    let rows: Int

    /// The terminal that standard output is; `nil` if it is none, or shows neither UTF-8 nor colours.
    static var ofOutput: TextScreen? {
        guard StandardStreams.outputIsTerminal, let size = Terminal.outputSize else { return nil }
        guard let kind = environmentValue("TERM"), !kind.isEmpty, kind != "dumb" else { return nil }
        // The first of them that is set decides, as setlocale(3) has it.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environmentValue).first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased()
        guard encoding.contains("utf-8") || encoding.contains("utf8") else { return nil }
        return TextScreen(columns: size.columns, rows: size.rows)
    }

    /// A QR code as lines for the terminal, with room for a few lines of text; `nil` if it is too large.
    func picture(of text: String) -> String? {
        guard let code = QRCode(Array(text.utf8)), code.textColumns <= columns, code.textRows + 6 <= rows else {
            return nil
        }
        return code.text
    }
}
#endif
