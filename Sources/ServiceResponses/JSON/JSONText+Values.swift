import TextCodecs

extension JSONText {
    /// Makes a JSON string.
    ///
    /// - Parameter string: Its text.
    package init(string: String) {
        self.init(String(decoding: JSONWriter.string(string), as: UTF8.self))
    }

    /// Makes a JSON array of strings.
    ///
    /// - Parameter strings: Their texts.
    package init(strings: [String]) {
        let elements = strings.map { String(decoding: JSONWriter.string($0), as: UTF8.self) }
        self.init("[" + elements.joined(separator: ",") + "]")
    }

    /// Takes a JSON value of any type, as it is spelled.
    ///
    /// - Parameter text: The value; `nil` is returned if it is not JSON.
    package init?(parsing text: String) {
        guard text.json({ _, _ in true }) == true else { return nil }
        self.init(text)
    }
}
