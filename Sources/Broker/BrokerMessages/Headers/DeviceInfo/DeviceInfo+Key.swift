public import EntitlementValues
import ServiceResponses
import TextCodecs

extension DeviceInfo {
    /// The name of a member.
    ///
    /// Source: the reference of `X-Device-Info`. Other names can be sent, too; the broker decides what it takes.
    public struct Key: EntitlementIdentifier {
        /// The name as it is written on the wire.
        public let rawValue: String

        /// Makes a key from its name, unchanged.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The device's model, for example `SM-S901U`; required.
        public static let model: Key = "model"
        /// The version of the model, for example `2.0.1`; required.
        public static let version: Key = "version"
        /// The operating system, as the reference lists it; required.
        public static let osName: Key = "osName"
        /// The version of the operating system, for example `10.2`; required.
        public static let osVersion: Key = "osVersion"
        /// The kind of the network connection, for example `WiFi` or `LAN`; required.
        public static let connectionType: Key = "connectionType"

        /// The kind of the device, one of ``HardwareType/documented``.
        public static let primaryHardwareType: Key = "primaryHardwareType"
        /// Who makes the device.
        public static let manufacturer: Key = "manufacturer"
        /// Who sells the device.
        public static let vendor: Key = "vendor"
        /// The group of operating systems, as the reference lists it.
        public static let osFamily: Key = "osFamily"
        /// Who supplies the operating system, as the reference lists it.
        public static let osVendor: Key = "osVendor"
        /// The browser, as the reference lists it.
        public static let browserName: Key = "browserName"
        /// Who makes the browser, as the reference lists it.
        public static let browserVendor: Key = "browserVendor"
        /// The version of the browser, for example `60.0.3112`.
        public static let browserVersion: Key = "browserVersion"
        /// The device's `User-Agent`.
        public static let userAgent: Key = "userAgent"
        /// The width of the screen, in pixels.
        public static let displayWidth: Key = "displayWidth"
        /// The height of the screen, in pixels.
        public static let displayHeight: Key = "displayHeight"
        /// The density of the screen, in pixels for each inch.
        public static let displayPpi: Key = "displayPpi"
        /// The diagonal of the screen, in inches.
        public static let diagonalScreenSize: Key = "diagonalScreenSize"
        /// The address from which the device sends requests.
        public static let connectionIP: Key = "connectionIp"
        /// The port from which the device sends requests; one provider needs it to recognise a household.
        public static let connectionPort: Key = "connectionPort"
        /// Whether the network is secure: `true`, or `false` for a public hot spot.
        public static let connectionSecure: Key = "connectionSecure"
        /// The application's identifier.
        public static let applicationID: Key = "applicationId"

        /// The keys that the reference requires.
        public static let required: [Key] = [.model, .version, .osName, .osVersion, .connectionType]
    }

    /// The value of a member to send.
    @nonexhaustive
    public enum Value: Sendable, Hashable {
        /// A string.
        case text(String)
        /// A whole number.
        case number(Int64)
        /// Another number, which must be finite.
        case decimal(Double)

        func json(of key: Key) throws(BrokerHeaderError) -> JSONText {
            switch self {
            case .text(let text):
                return JSONText(string: text)
            case .number(let number):
                if let json = JSONText(parsing: String(number)) { return json }
            case .decimal(let number):
                if number.isFinite, let json = JSONText(parsing: number.description) { return json }
            }
            let place = JSONLocation.root + key.rawValue
            throw .badMember(header: DeviceInfo.name, place, reason: "\(place) is not a finite number")
        }
    }
}

extension DeviceInfo.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(value) }

    /// Another number.
    public init(floatLiteral value: Double) { self = .decimal(value) }
}

extension JSONText {
    /// Whether the value is a JSON number.
    var isNumber: Bool {
        guard let first = text.utf8.first else { return false }
        return first == UInt8(ascii: "-") || first.isASCIIDigit
    }
}
