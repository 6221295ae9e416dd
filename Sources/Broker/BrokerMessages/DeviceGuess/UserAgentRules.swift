/// What a `User-Agent` with certain words in it says about its device.
struct PlatformRule {
    /// Where a value comes from.
    enum Source {
        /// The value itself.
        case fixed(String)
        /// The number after a word.
        case version(after: String)
        /// The number after the first slash that comes after a word.
        case versionAfterSlash(after: String)
        /// What follows a word, up to one of some characters.
        case text(after: String, until: String)
        /// The model, as most telephones write it.
        case handsetModel
    }

    /// What a device of one kind says: keys, and where their values come from.
    ///
    /// Of two sources for a key, the first that has a value counts.
    typealias Facts = [(key: DeviceInfo.Key, source: Source)]

    /// The words that must all occur.
    let words: [String]
    /// What they say.
    let facts: Facts
    /// The keys whose values may be wrong, since several kinds of device write the same.
    let uncertain: Set<DeviceInfo.Key>
    /// Whether client hints name the system better than this rule.
    let isGeneric: Bool

    init(_ words: String..., uncertain: Set<DeviceInfo.Key> = [], isGeneric: Bool = false, says facts: Facts) {
        (self.words, self.uncertain, self.isGeneric, self.facts) = (words, uncertain, isGeneric, facts)
    }

    func applies(to text: UserAgentText) -> Bool { words.allSatisfy { text.contains($0) } }
}

extension UserAgentText {
    /// The value that a source has in this text.
    func value(from source: PlatformRule.Source) -> String? {
        switch source {
        case .fixed(let value): value
        case .version(let word): version(after: word)
        case .versionAfterSlash(let word): version(afterSlashAfter: word)
        case .text(let word, let stops): text(after: word, until: stops)
        case .handsetModel: handsetModel
        }
    }
}

extension PlatformRule {
    /// The first rule that applies to a text; `nil` if none does.
    static func first(for text: UserAgentText) -> PlatformRule? { table.first { $0.applies(to: text) } }

    /// The rules; the more special ones come first.
    ///
    /// The words are what devices send, and the names what the reference of `X-Device-Info` allows; each belongs to its
    /// owner. Where the reference has no name for a system, its name is left out, or is that of the system below it.
    private static let table: [PlatformRule] = consoles + televisions + handsets + otherTelevisions + computers

    // MARK: Systems

    private static func kind(_ type: HardwareType) -> Facts { [(.primaryHardwareType, .fixed(type.rawValue))] }

    private static func maker(_ name: String) -> Facts { [(.manufacturer, .fixed(name)), (.vendor, .fixed(name))] }

    private static func system(_ name: String, family: String, by vendor: String) -> Facts {
        [(.osName, .fixed(name)), (.osFamily, .fixed(family)), (.osVendor, .fixed(vendor))]
    }

    /// A system whose maker makes the devices, too.
    private static func closedSystem(_ name: String, family: String, by vendor: String) -> Facts {
        system(name, family: family, by: vendor) + maker(vendor)
    }

    /// The system of most telephones, in the edition of one vendor.
    private static func handsetSystem(by vendor: String) -> Facts {
        system("Android", family: "Android", by: vendor) + [
            (.osVersion, .version(after: "Android ")), (.model, .handsetModel),
        ]
    }

    private static let desktopSystem: Facts =
        system("Windows", family: "Windows", by: "Microsoft") + [(.osVersion, .version(after: "Windows NT "))]

    // MARK: Rules

    private static let consoles: [PlatformRule] =
        [
            PlatformRule(
                "Xbox", uncertain: [.osVersion],
                says: kind(.gamesConsole) + desktopSystem + maker("Microsoft") + [
                    (.model, .text(after: "Xbox; ", until: ";)")), (.model, .fixed("Xbox")),
                ])
        ]
        + ["PlayStation 5", "PlayStation 4", "PlayStation"].map { model in
            PlatformRule(
                model,
                says: kind(.gamesConsole) + maker("Sony") + [
                    (.model, .fixed(model)), (.osFamily, .fixed("PlayStation OS")), (.osVendor, .fixed("Sony")),
                    (.osVersion, .version(after: model + "/")),
                    (.osVersion, .version(after: model + " ")),
                ])
        }

    private static let televisions: [PlatformRule] =
        [
            // Players and television sets of this system write the same, and the model's number is not in it.
            PlatformRule(
                "Roku", uncertain: [.primaryHardwareType],
                says: kind(.setTopBox) + system("Roku OS", family: "Roku OS", by: "Roku") + [
                    (.model, .fixed("Roku")), (.osVersion, .version(after: "DVP-")),
                ]),
            PlatformRule(
                "AppleTV",
                says: kind(.tv) + closedSystem("tvOS", family: "tvOS", by: "Apple") + [
                    (.model, .fixed("AppleTV")), (.version, .text(after: "AppleTV", until: "/ ;)")),
                    (.osVersion, .version(after: "tvOS/")), (.osVersion, .version(after: "tvOS ")),
                    (.osVersion, .version(after: "CPU OS ")), (.osVersion, .versionAfterSlash(after: "AppleTV")),
                ]),
            PlatformRule(
                "Apple TV",
                says: kind(.tv) + closedSystem("tvOS", family: "tvOS", by: "Apple") + [
                    (.model, .fixed("AppleTV")), (.osVersion, .version(after: "tvOS ")),
                    (.osVersion, .version(after: "CPU OS ")),
                ]),
            PlatformRule(
                "CrKey", "Android", uncertain: [.primaryHardwareType],
                says: kind(.setTopBox) + handsetSystem(by: "Google")),
            PlatformRule(
                "CrKey", uncertain: [.primaryHardwareType, .osName],
                says: kind(.setTopBox) + closedSystem("Linux", family: "Linux", by: "Google") + [
                    (.model, .text(after: "DeviceType/", until: " ;)")), (.model, .fixed("Chromecast")),
                ]),
            PlatformRule(
                "Tizen", "TV", uncertain: [.osName],
                says: kind(.tv) + closedSystem("Linux", family: "Tizen", by: "Samsung") + [
                    (.osVersion, .version(after: "Tizen "))
                ]),
        ]
        + ["Web0S", "webOSTV", "webOS.TV"].map { word in
            PlatformRule(
                word,
                says: kind(.tv) + closedSystem("webOS", family: "webOS", by: "LG") + [
                    (.osVersion, .version(after: "WEBOS")), (.osVersion, .version(after: "webOS.TV-")),
                    (.model, .text(after: "(LGE; ", until: ";)")),
                ])
        }

    private static let handsets: [PlatformRule] =
        [
            PlatformRule(
                "Android", "; AFT", uncertain: [.primaryHardwareType],
                says: kind(.setTopBox) + handsetSystem(by: "Amazon") + maker("Amazon")),
            PlatformRule("Android", "; KF", says: kind(.tablet) + handsetSystem(by: "Amazon") + maker("Amazon")),
            PlatformRule(
                "Android", "BRAVIA",
                says: kind(.tv) + handsetSystem(by: "Google") + maker("Sony")),
            PlatformRule("Android", "SHIELD", says: kind(.setTopBox) + handsetSystem(by: "Google")),
        ]
        + ["Android TV", "AndroidTV", "Google TV", "GoogleTV", "Smart TV", "SMART-TV", "SmartTV"].map { word in
            PlatformRule(
                "Android", word, uncertain: [.primaryHardwareType], says: kind(.tv) + handsetSystem(by: "Google"))
        } + [
            PlatformRule(
                "Android", "Mobile", isGeneric: true, says: kind(.mobilePhone) + handsetSystem(by: "Google")),
            // Some television sets and boxes write the same as tablets.
            PlatformRule(
                "Android", uncertain: [.primaryHardwareType], isGeneric: true,
                says: kind(.tablet) + handsetSystem(by: "Google")),
        ]

    private static let otherTelevisions = ["HbbTV", "SMART-TV", "SmartTV"].map { word in
        PlatformRule(word, says: kind(.tv))
    }

    private static let computers: [PlatformRule] = [
        PlatformRule(
            "iPad",
            says: kind(.tablet) + closedSystem("iOS", family: "iOS", by: "Apple") + [
                (.model, .fixed("iPad")), (.osVersion, .version(after: "CPU OS ")),
                (.osVersion, .version(after: "iPadOS ")), (.osVersion, .version(after: "iOS ")),
            ]),
        PlatformRule(
            "iPhone",
            says: kind(.mobilePhone) + closedSystem("iOS", family: "iOS", by: "Apple") + [
                (.model, .fixed("iPhone")), (.osVersion, .version(after: "iPhone OS ")),
                (.osVersion, .version(after: "iOS ")),
            ]),
        // Safari on tablets calls itself a Mac since 2019, and all browsers write version 10.15.7 since 2020.
        PlatformRule(
            "Macintosh", "Version/", "Safari/",
            uncertain: [.primaryHardwareType, .osName, .osFamily, .osVersion], isGeneric: true,
            says: kind(.desktop) + closedSystem("Mac OS", family: "macOS", by: "Apple") + [
                (.osVersion, .version(after: "Mac OS X "))
            ]),
        PlatformRule(
            "Macintosh", uncertain: [.osVersion], isGeneric: true,
            says: kind(.desktop) + closedSystem("Mac OS", family: "macOS", by: "Apple") + [
                (.osVersion, .version(after: "Mac OS X "))
            ]),
        // The version is 10.0 on later systems as well.
        PlatformRule("Windows NT", uncertain: [.osVersion], isGeneric: true, says: kind(.desktop) + desktopSystem),
        PlatformRule(
            "CrOS", isGeneric: true,
            says: kind(.desktop) + system("Chrome OS", family: "Linux", by: "Google") + [
                (.osVersion, .version(after: "CrOS x86_64 ")), (.osVersion, .version(after: "CrOS aarch64 ")),
                (.osVersion, .version(after: "CrOS armv7l ")),
            ]),
        // Boxes and television sets have this system, too.
        PlatformRule(
            "X11; ", "Linux", uncertain: [.primaryHardwareType], isGeneric: true,
            says: kind(.desktop) + [(.osName, .fixed("Linux")), (.osFamily, .fixed("Linux"))]),
        PlatformRule(
            "Darwin/",
            says: maker("Apple") + [(.osVendor, .fixed("Apple"))]),
    ]
}

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
