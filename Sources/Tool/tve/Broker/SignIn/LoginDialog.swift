#if CLI && Client
import ArgumentParser
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HostSystem
import QRCodes
import ServiceResponses
import TextCodecs

/// Lets a person at the terminal choose a provider.
struct ProviderPrompt {
    let providers: [MVPD]

    /// The longest answer that is read, in bytes.
    private static let maximumLength = 1024

    /// Asks, three times at most; the question goes to standard error.
    ///
    /// Throws if the answers name no provider, or there is no answer.
    func choice() throws(CommandFailure) -> MVPDID {
        let width = "\(providers.count)".count
        for (index, provider) in providers.enumerated() {
            let number = String(repeating: " ", count: width - "\(index + 1)".count) + "\(index + 1)"
            let name = provider.displayName.map { "  \($0.printable)" } ?? ""
            StandardStreams.report("  \(number)  \(provider.id.rawValue.printable)\(name)")
        }
        for _ in 0..<3 {
            StandardStreams.reportProgress("Which provider? (number or id) ")
            guard let answer = try line() else { break }
            if let provider = provider(named: answer) { return provider }
        }
        throw .usage("no provider was chosen; give --mvpd ID")
    }

    /// The provider that an answer names, by its number or its id.
    func provider(named answer: String) -> MVPDID? {
        if let named = providers.first(where: { $0.id.rawValue.hasSameBytes(as: answer) }) { return named.id }
        guard let number = Int(answer), providers.indices.contains(number - 1) else { return nil }
        return providers[number - 1].id
    }

    /// A line of standard input without its end; `nil` at the end of the input.
    private func line() throws(CommandFailure) -> String? {
        var line: [UInt8] = []
        while line.count < Self.maximumLength {
            let bytes = try using("standard input", file: nil, StandardStreams.read(upTo: 256))
            line += bytes
            if bytes.isEmpty || bytes.contains(UInt8(ascii: "\n")) { break }
        }
        guard !line.isEmpty else { return nil }
        let text = line.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
    }
}

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
        object.member("missing", code.missingParameters.map(\.rawValue))
        return object
    }
}

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

/// Waits until the user has signed in somewhere else, or gives up.
///
/// Signals to stop must be caught before.
struct LoginWait {
    let session: EntitlementSession
    /// When the code ends.
    let until: Timestamp

    private enum End: Sendable {
        case signedIn(SignIn)
        case interrupted(Int32)
    }

    /// Waits for the sign-in or for a signal to stop.
    ///
    /// A progress line shows how long the code is good for, if standard error is a terminal. Throws
    /// `EntitlementFlowError`; `CommandFailure` with exit code 130 or 143 for Ctrl-C or SIGTERM, after the sign-in was
    /// given up.
    func signIn() async throws -> SignIn {
        let end = try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask { .signedIn(try await session.awaitAuthentication()) }
            group.addTask { .interrupted(try await stopSignal()) }
            defer { group.cancelAll() }
            return try await group.next() ?? .interrupted(0)
        }
        switch end {
        case .signedIn(let signIn): return signIn
        case .interrupted(let signal):
            _ = try? await session.setSelectedProvider(nil)
            throw CommandFailure(
                "interrupted", "the sign-in was given up, and its code does not count anymore",
                exitCode: ExitCode(128 + signal))
        }
    }

    /// Waits for a signal that asks the process to stop, and shows the progress meanwhile.
    private func stopSignal() async throws -> Int32 {
        let isShown = StandardStreams.errorIsTerminal
        var shown: Int64?
        defer { if shown != nil { StandardStreams.reportProgress("\r\u{1B}[K") } }
        while true {
            if let signal = StopSignals.received { return signal }
            let left = max(0, (until.milliseconds - Timestamp.now.milliseconds) / 1000)
            if isShown, left != shown {
                shown = left
                let seconds = left % 60 < 10 ? "0\(left % 60)" : "\(left % 60)"
                StandardStreams.reportProgress(
                    "\r\u{1B}[Kwaiting for the sign-in, \(left / 60):\(seconds) left (Ctrl-C gives it up)")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
#endif
