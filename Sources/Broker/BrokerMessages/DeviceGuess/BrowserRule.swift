/// What a `User-Agent` with a certain word in it says about its browser.
struct BrowserRule {
    /// The word, which the version follows.
    let word: String
    /// The browser, by the reference's name; `nil` if the reference has none.
    let name: String?
    /// Who makes it, by the reference's name; `nil` if the reference has none.
    let vendor: String?
    /// Another word, which the version follows instead.
    let versionWord: String

    private init(_ word: String, _ name: String?, by vendor: String?, versionAfter versionWord: String? = nil) {
        (self.word, self.name, self.vendor, self.versionWord) = (word, name, vendor, versionWord ?? word)
    }

    /// The first rule that applies to a text; `nil` if none does.
    static func first(for text: UserAgentText) -> BrowserRule? { table.first { text.contains($0.word) } }

    /// The rules; a browser that pretends to be another one as well comes first.
    private static let table: [BrowserRule] =
        ["Edg/", "EdgA/", "EdgiOS/", "Edge/"].map { BrowserRule($0, "Edge", by: "Microsoft") }
        + ["OPR/", "Opera/"].map { BrowserRule($0, "Opera", by: nil) }
        + [
            BrowserRule("SamsungBrowser/", nil, by: "Samsung"), BrowserRule("Silk/", nil, by: "Amazon"),
            BrowserRule("SeaMonkey/", "SeaMonkey", by: "Mozilla"),
        ]
        + ["Firefox/", "FxiOS/"].map { BrowserRule($0, "Firefox", by: "Mozilla") }
        + ["CriOS/", "Chrome/"].map { BrowserRule($0, "Chrome", by: "Google") }
        + [
            BrowserRule("Trident/", "Internet Explorer", by: "Microsoft", versionAfter: "rv:"),
            BrowserRule("MSIE ", "Internet Explorer", by: "Microsoft"),
            BrowserRule("Safari/", "Safari", by: "Apple", versionAfter: "Version/"),
        ]
}
