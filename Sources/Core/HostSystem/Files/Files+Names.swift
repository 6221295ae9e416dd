import TextCodecs

extension Files {
    /// The text that an option or a setting gives as a path, as errors show it.
    ///
    /// It is shown if it leads to something, or if it can be the name of a file. Otherwise it may be what the file
    /// should hold, a key or a token, given in the place of its name, and `notShown` stands for it.
    package static func shown(_ path: String) -> String {
        canBeName(path) || exists(path) ? path : notShown
    }

    /// What stands for a text that is not shown.
    package static let notShown = "(not shown)"
    /// What is said of such a text.
    package static let notName = "this is not the name of a file; name the file that holds it"

    /// Whether a text can be the name of a file, as opposed to what a file of keys, or a token, holds.
    ///
    /// It cannot be one if it
    /// - is empty, or longer than 4096 bytes, or has more than 255 bytes between two slashes: no system has such a file;
    /// - has a control character, such as a line break, or one of `{`, `}`, `"`, `<` and `>`, or five hyphens in a row, as
    ///   JSON, XML and PEM have, or begins with `eyJ`, as the tokens and keys of JOSE do;
    /// - has no extension (a dot, and then a letter and up to nine letters and digits, at its end), and some part of it
    ///   looks like 16 bytes or more in an encoding. Parts are what dots, blanks and everything else divides that neither
    ///   Base64 nor Base64url has, and they have 22 characters or more. One looks so
    ///   - with an equals sign at its end, with a plus sign, capitals, small letters and digits, or if it has hexadecimal
    ///     digits and hyphens only;
    ///   - without a slash, in a text that does not begin with one: with capitals and small letters, or with digits and
    ///     without hyphens and underscores;
    ///   - else: with capitals, small letters and digits, and without hyphens and underscores; in one name of 22
    ///     characters or more, if the text or the part begins with a slash.
    package static func canBeName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard 1...4096 ~= bytes.count, bytes.split(separator: slash).allSatisfy({ $0.count <= 255 }),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || marks.contains($0) }), !text.contains("-----"),
            !text.hasPrefix("eyJ")
        else { return false }
        if hasExtension(bytes) { return true }
        let isAbsolute = bytes.first == slash
        return !bytes.split(whereSeparator: { !$0.isInEncoding }).contains { looksEncoded($0, isAbsolute: isAbsolute) }
    }

    private static let slash = UInt8(ascii: "/")
    private static let marks = Array("{}\"<>".utf8)
    /// How many characters 16 bytes have in Base64 without padding.
    private static let shortestEncoding = 22

    private static func hasExtension(_ bytes: [UInt8]) -> Bool {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
        let ending = bytes[(dot + 1)...]
        return 1...10 ~= ending.count && ending.first.map(\.isASCIILetter) == true
            && ending.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
    }

    private static func looksEncoded(_ part: ArraySlice<UInt8>, isAbsolute: Bool) -> Bool {
        guard part.count >= shortestEncoding else { return false }
        if part.last == UInt8(ascii: "=") { return true }
        if part.contains(UInt8(ascii: "+")), hasBothCases(part), part.contains(where: \.isASCIIDigit) { return true }
        if part.allSatisfy({ $0.hexDigitValue != nil || $0 == UInt8(ascii: "-") }) { return true }
        let hasDash = part.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard isAbsolute || part.contains(slash) else {
            return hasBothCases(part) || !hasDash && part.contains(where: \.isASCIIDigit)
        }
        let names = isAbsolute || part.first == slash ? part.split(separator: slash) : [part]
        return !hasDash
            && names.contains { name in
                name.count >= shortestEncoding && hasBothCases(name) && name.contains(where: \.isASCIIDigit)
            }
    }

    private static func hasBothCases(_ part: ArraySlice<UInt8>) -> Bool {
        part.contains(where: \.isCapital) && part.contains(where: \.isSmallLetter)
    }
}

extension UInt8 {
    var isCapital: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    fileprivate var isSmallLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    /// Whether Base64 or Base64url has the character, with its padding.
    fileprivate var isInEncoding: Bool { isURLSafe || "+/=".utf8.contains(self) }
}
