#if Client
import BrokerMessages
import ServiceResponses

extension SessionDevice {
    /// The device of a session, as far as its `X-Device-Info` describes it.
    init(_ info: DeviceInfo, address: String?) {
        self.init(
            type: info[.primaryHardwareType],
            model: info[.model],
            hardware: DeviceComponent(vendor: info[.vendor], manufacturer: info[.manufacturer]),
            operatingSystem: DeviceComponent(
                name: info[.osName], family: info[.osFamily], vendor: info[.osVendor],
                version: DeviceVersion(info[.osVersion])),
            browser: DeviceComponent(name: info[.browserName], vendor: info[.browserVendor]),
            applicationID: info[.applicationID],
            connection: DeviceConnection(
                address: address ?? info[.connectionIP], port: info[.connectionPort].flatMap { Int64($0) },
                isSecure: info[.connectionSecure].map { $0 == "true" }, type: info[.connectionType]))
    }
}

extension DeviceVersion {
    /// Reads `16.4.1`; parts that are not numbers are left out.
    fileprivate init?(_ text: String?) {
        guard let parts = text?.split(separator: ".").map({ Int64($0) }), let first = parts.first else { return nil }
        self.init(major: first, minor: parts.count > 1 ? parts[1] : nil, patch: parts.count > 2 ? parts[2] : nil)
    }
}
#endif
