#if CLI && Client
import EntitlementValues
import HostSystem
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
            let bytes = try using("standard input", file: nil) { () throws(FileFailure) in
                try StandardStreams.read(upTo: 256)
            }
            line += bytes
            if bytes.isEmpty || bytes.contains(UInt8(ascii: "\n")) { break }
        }
        guard !line.isEmpty else { return nil }
        let text = line.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
    }
}
#endif
