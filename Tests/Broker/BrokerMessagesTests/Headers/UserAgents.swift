import BrokerMessages
import Testing

/// A `User-Agent` as devices send it, and what has to be told by it.
struct UserAgentCase: Sendable, CustomTestStringConvertible {
    let text: String
    let type: HardwareType?
    let model: String?
    let osName: String?
    let osVersion: String?
    let browser: String?
    let uncertain: Set<DeviceInfo.Key>

    var testDescription: String { String(text.prefix(80)) }

    private init(
        _ text: String, _ type: HardwareType?, model: String? = nil, os: String? = nil, version: String? = nil,
        browser: String? = nil, uncertain: Set<DeviceInfo.Key> = []
    ) {
        (self.text, self.type, self.model, osName, osVersion) = (text, type, model, os, version)
        (self.browser, self.uncertain) = (browser, uncertain)
    }

    static let all = handsets + televisions + consoles + computers + others

    private static let handsets = [
        UserAgentCase(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1",
            .mobilePhone, model: "iPhone", os: "iOS", version: "16.5", browser: "Safari"),
        UserAgentCase(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/119.0.6045.169 Mobile/15E148 Safari/604.1",
            .mobilePhone, model: "iPhone", os: "iOS", version: "17.1.2", browser: "Chrome"),
        UserAgentCase(
            "ExampleApp/5.2 (com.example.app; build:12; iOS 16.4.1) Alamofire/5.6.4", nil),
        UserAgentCase(
            "ExampleApp/5.2 (iPhone; iOS 16.4.1; Scale/3.00)", .mobilePhone, model: "iPhone", os: "iOS",
            version: "16.4.1"),
        UserAgentCase(
            "Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1",
            .tablet, model: "iPad", os: "iOS", version: "12.2", browser: "Safari"),
        UserAgentCase(
            "Mozilla/5.0 (iPad; CPU OS 16_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) EdgiOS/107.0.1418.52 Version/16.0 Mobile/15E148 Safari/604.1",
            .tablet, model: "iPad", os: "iOS", version: "16.1", browser: "Edge"),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 13; SM-S901U) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 Mobile Safari/537.36",
            .mobilePhone, model: "SM-S901U", os: "Android", version: "13", browser: "Chrome"),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
            .mobilePhone, os: "Android", version: "10", browser: "Chrome", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Linux; U; Android 4.0.3; ko-kr; LG-L160L Build/IML74K) AppleWebkit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
            .mobilePhone, model: "LG-L160L", os: "Android", version: "4.0.3", browser: "Safari"),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 12; SM-T870) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/19.0 Chrome/102.0.5005.125 Safari/537.36",
            .tablet, model: "SM-T870", os: "Android", version: "12", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (Android 13; Mobile; rv:109.0) Gecko/114.0 Firefox/114.0", .mobilePhone, os: "Android",
            version: "13", browser: "Firefox"),
        UserAgentCase(
            "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A.240205.004)", .tablet, model: "Pixel 8",
            os: "Android", version: "14", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.5.6 like Chrome/108.0.5359.220 Safari/537.36",
            .tablet, model: "KFMAWI", os: "Android", version: "9"),
    ]

    private static let televisions = [
        UserAgentCase(
            "AppleTV11,1/16.1", .tv, model: "AppleTV", os: "tvOS", version: "16.1"),
        UserAgentCase(
            "ExampleApp/3.1 (AppleTV; tvOS 15.4; Scale/1.00)", .tv, model: "AppleTV", os: "tvOS", version: "15.4"),
        UserAgentCase(
            "AppleCoreMedia/1.0.0.19L580 (Apple TV; U; CPU OS 15_6 like Mac OS X; en_us)", .tv, model: "AppleTV",
            os: "tvOS", version: "15.6"),
        UserAgentCase(
            "Roku/DVP-12.5 (12.5.0.4178-88)", .setTopBox, model: "Roku", os: "Roku OS", version: "12.5",
            uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/70.0.3538.110 Mobile Safari/537.36",
            .setTopBox, model: "AFTMM", os: "Android", version: "7.1.2", browser: "Chrome",
            uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2 Build/PTT1.190515.001.S104; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/92.0.4515.131 Mobile Safari/537.36",
            .tv, model: "BRAVIA 4K UR2", os: "Android", version: "9", browser: "Chrome"),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 11; SHIELD Android TV Build/RQ1A.210105.003; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/99.0.4844.88 Mobile Safari/537.36",
            .setTopBox, model: "SHIELD Android TV", os: "Android", version: "11", browser: "Chrome"),
        UserAgentCase(
            "Dalvik/2.1.0 (Linux; U; Android 10; MIBOX4 Android TV Build/QTT9.201102.001)", .tv,
            model: "MIBOX4 Android TV", os: "Android", version: "10", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.5) AppleWebKit/537.36 (KHTML, like Gecko) 69.0.3497.106.1/5.5 TV Safari/537.36",
            .tv, os: "Linux", version: "5.5", browser: "Safari", uncertain: [.osName]),
        UserAgentCase(
            "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36 DMOST/2.0.0 (; LGE; webOSTV; WEBOS6.3.2 03.34.95; W6_lm21a;)",
            .tv, os: "webOS", version: "6.3.2", browser: "Chrome"),
        UserAgentCase(
            "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/68.0.3440.106 Safari/537.36 LG Browser/8.00.00(LGE; 55NANO85UNA; 03.20.17; 1; DTV_W20H); webOS.TV-2020; LG NetCast.TV-2013 Compatible",
            .tv, model: "55NANO85UNA", os: "webOS", version: "2020", browser: "Chrome"),
        UserAgentCase(
            "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.225 Safari/537.36 CrKey/1.56.500000 DeviceType/Chromecast",
            .setTopBox, model: "Chromecast", os: "Linux", browser: "Chrome",
            uncertain: [.primaryHardwareType, .osName]),
        UserAgentCase(
            "Mozilla/5.0 (Linux; Android 12.0; Build/STTL.240206.002) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.6167.178 Safari/537.36 CrKey/1.56.500000 DeviceType/AndroidTV",
            .setTopBox, os: "Android", version: "12.0", browser: "Chrome", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "HbbTV/1.2.1 (+DRM;Example;55X;V1.0;;Example-55X;)", .tv),
    ]

    private static let consoles = [
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763",
            .gamesConsole, model: "Xbox One", os: "Windows", version: "10.0", browser: "Edge", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36 Edg/119.0.0.0",
            .gamesConsole, model: "Xbox Series X", os: "Windows", version: "10.0", browser: "Edge",
            uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15",
            .gamesConsole, model: "PlayStation 5", version: "2.26", browser: "Safari"),
        UserAgentCase(
            "Mozilla/5.0 (PlayStation 4 8.50) AppleWebKit/605.1.15 (KHTML, like Gecko)", .gamesConsole,
            model: "PlayStation 4", version: "8.50"),
    ]

    private static let computers = [
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            .desktop, os: "Windows", version: "10.0", browser: "Chrome", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0",
            .desktop, os: "Windows", version: "10.0", browser: "Edge", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0",
            .desktop, os: "Windows", version: "10.0", browser: "Firefox", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko", .desktop, os: "Windows",
            version: "6.1", browser: "Internet Explorer", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
            .desktop, os: "Mac OS", version: "10.15.7", browser: "Safari",
            uncertain: [.primaryHardwareType, .osName, .osFamily, .osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            .desktop, os: "Mac OS", version: "10.15.7", browser: "Chrome", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0", .desktop,
            os: "Mac OS", version: "10.15", browser: "Firefox", uncertain: [.osVersion]),
        UserAgentCase(
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            .desktop, os: "Chrome OS", version: "14541.0.0", browser: "Chrome"),
        UserAgentCase(
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            .desktop, os: "Linux", browser: "Chrome", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0", .desktop, os: "Linux",
            browser: "Firefox", uncertain: [.primaryHardwareType]),
        UserAgentCase(
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/123.0.0.0 Safari/537.36 OPR/109.0.0.0",
            .desktop, os: "Linux", browser: "Opera", uncertain: [.primaryHardwareType]),
    ]

    private static let others = [
        UserAgentCase("ExampleApp/1 CFNetwork/1410.0.3 Darwin/22.6.0", nil),
        UserAgentCase("curl/8.5.0", nil),
        UserAgentCase("okhttp/4.12.0", nil),
        UserAgentCase("", nil),
    ]
}
