import TestVectors

extension Noise {
    /// A text of up to so many characters, of all kinds that break naive encoders; no control characters if so asked.
    mutating func text(upTo limit: Int, from minimum: Int = 0, controls: Bool = true) -> String {
        let odd: [Unicode.Scalar] = [
            " ", "+", "%", "&", "=", "\"", "\\", "/", "?", "#", "é", "\u{E000}", "漢", "😀", "\u{2028}", "\u{301}", "<",
            "'",
        ]
        let broken: [Unicode.Scalar] = ["\n", "\r", "\t", "\u{1}", "\u{7F}"]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: minimum...limit, using: &self) {
            switch Int.random(in: 0..<10, using: &self) {
            case 0..<5: text.append(Unicode.Scalar(UInt8.random(in: 0x61...0x7A, using: &self)))
            case 5: text.append(Unicode.Scalar(UInt8.random(in: 0x30...0x39, using: &self)))
            case 6 where controls: text.append(broken.randomElement(using: &self) ?? "\n")
            default: text.append(odd.randomElement(using: &self) ?? " ")
            }
        }
        return String(text)
    }

    /// A text of characters from a list.
    mutating func text(of characters: String, count: ClosedRange<Int>) -> String {
        String((0..<Int.random(in: count, using: &self)).map { _ in characters.randomElement(using: &self) ?? "x" })
    }
}

let urlSafeCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
