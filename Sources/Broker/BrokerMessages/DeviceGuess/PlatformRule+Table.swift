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
