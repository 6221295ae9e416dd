/// Texts that stand for a value that is not there, as databases write it.
struct NullTexts: Sendable {
    private let texts: [[UInt8]]
    private let form: SeparatedForm

    /// Names the texts.
    ///
    /// Without quotation marks, `\N` is one of them in any case: PostgreSQL, MySQL and Hive write no value so.
    init(_ texts: [String], in form: SeparatedForm) {
        self.texts = texts.map { Array($0.utf8) } + (form.quoting == .unquoted ? [Array("\\N".utf8)] : [])
        self.form = form
    }

    /// Whether a value is null.
    ///
    /// `cell` is the value as it came, and `text` the one without its quotation marks, which a null may have. In a form
    /// without quotation marks it counts as it came: `\\N` is a text.
    func contains(_ cell: ArraySlice<UInt8>, text: [UInt8]) -> Bool {
        form.quoting == .unquoted ? texts.contains { cell.elementsEqual($0) } : texts.contains(text)
    }

    /// Whether a text that is written would pass for null.
    func contains(text: [UInt8]) -> Bool { texts.contains(text) }

    /// Recognises a value as one that programs write for null, and returns it as `--null` would have to name it.
    ///
    /// `cell` is the value as it came; `text`, without its quotation marks or backslashes. `nil` if it is not such a
    /// value.
    func unnamed(_ cell: ArraySlice<UInt8>, text: [UInt8]) -> String? {
        guard let usual = Self.usual(text) else { return nil }
        return form.quoting == .unquoted ? String(decoding: cell, as: UTF8.self) : usual
    }

    /// Recognises a value as one that programs write for null, if nothing else is said.
    static func usual(_ value: [UInt8]) -> String? { usualTexts.first { value.elementsEqual($0.utf8) } }

    /// Those of Hive and MySQL, SQL, JSON, Python, and pandas.
    private static let usualTexts = ["\\N", "NULL", "null", "None", "NaN", "nan"]
}
