#if CLI
import ArgumentParser
import RowBatches
import TextCodecs

/// Options that say how separated values are written.
struct SeparatedOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With csv and tsv, how values are quoted: csv (default), backslash (Spark, Hive) or none (COPY, mysql).",
            valueName: "form"))
    var quoting: SeparatedForm.Quoting?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With csv and tsv, the character between values, or the word tab (default: a comma, or a tab).",
            valueName: "character"),
        transform: separator)
    var delimiter: UInt8?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With csv and tsv, a text that stands for no value. One text each time: --null NULL --null '\\N'.",
            valueName: "text"))
    var null: [String] = []

    /// Whether no option was given.
    var isUntouched: Bool { quoting == nil && delimiter == nil && null.isEmpty }

    /// How values are separated and quoted in rows of a kind; `nil` for JSON.
    func form(of kind: RowKind) -> SeparatedForm? {
        kind.separated.map { SeparatedForm(separator: delimiter ?? $0.separator, quoting: quoting ?? .csv) }
    }

    /// Reads a separator.
    ///
    /// A byte of Base64 would take encrypted values apart.
    private static func separator(_ text: String) throws -> UInt8 {
        if ["tab", "\\t"].contains(text.lowercased()) { return UInt8(ascii: "\t") }
        guard let byte = text.utf8.first, text.utf8.count == 1, byte.canSeparate else {
            throw ValidationError(
                "Give one ASCII character, or the word tab; letters, digits and + / = - _ \" \\ cannot stand there.")
        }
        return byte
    }
}

extension UInt8 {
    /// Whether the byte can stand between values: it is not part of Base64, and has no other meaning.
    fileprivate var canSeparate: Bool {
        self < 0x80 && !isASCIILetter && !isASCIIDigit && !"+/=-_\"\\\r\n\0".utf8.contains(self)
    }
}
#endif
