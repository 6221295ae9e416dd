public import EntitlementValues

/// The kind of a device, `primaryHardwareType`.
///
/// Upper and lower case are different. Source: the reference of `X-Device-Info`; the last two are in the broker's OpenAPI
/// file only.
public struct HardwareType: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a type from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A camera.
    public static let camera: HardwareType = "Camera"
    /// A terminal for the collection of data.
    public static let dataCollectionTerminal: HardwareType = "DataCollectionTerminal"
    /// A computer.
    public static let desktop: HardwareType = "Desktop"
    /// A network module inside something else.
    public static let embeddedNetworkModule: HardwareType = "EmbeddedNetworkModule"
    /// A reader for books.
    public static let eReader: HardwareType = "eReader"
    /// A games console.
    public static let gamesConsole: HardwareType = "GamesConsole"
    /// A tracker of positions.
    public static let geolocationTracker: HardwareType = "GeolocationTracker"
    /// Glasses.
    public static let glasses: HardwareType = "Glasses"
    /// A media player.
    public static let mediaPlayer: HardwareType = "MediaPlayer"
    /// A mobile phone.
    public static let mobilePhone: HardwareType = "MobilePhone"
    /// A terminal for payments.
    public static let paymentTerminal: HardwareType = "PaymentTerminal"
    /// A modem to plug in.
    public static let pluginModem: HardwareType = "PluginModem"
    /// A set-top box.
    public static let setTopBox: HardwareType = "SetTopBox"
    /// A television set.
    public static let tv: HardwareType = "TV"
    /// A tablet.
    public static let tablet: HardwareType = "Tablet"
    /// A wireless hot spot.
    public static let wirelessHotspot: HardwareType = "WirelessHotspot"
    /// A watch.
    public static let wristwatch: HardwareType = "Wristwatch"
    /// A device of unknown kind.
    public static let unknown: HardwareType = "Unknown"
    /// A system in a vehicle.
    public static let vehicleMultimediaSystem: HardwareType = "VehicleMultimediaSystem"
    /// A projector.
    public static let projector: HardwareType = "Projector"

    /// The documented types.
    public static let documented: [HardwareType] = [
        .camera, .dataCollectionTerminal, .desktop, .embeddedNetworkModule, .eReader, .gamesConsole,
        .geolocationTracker,
        .glasses, .mediaPlayer, .mobilePhone, .paymentTerminal, .pluginModem, .setTopBox, .tv, .tablet,
        .wirelessHotspot,
        .wristwatch, .unknown, .vehicleMultimediaSystem, .projector,
    ]
}
