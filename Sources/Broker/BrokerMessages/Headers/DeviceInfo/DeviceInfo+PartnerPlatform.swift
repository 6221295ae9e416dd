extension DeviceInfo {
    /// Whether the device belongs to the platform that signs users on by an account of its own, by family, vendor or name
    /// of its system.
    package var isOfPartnerPlatform: Bool {
        if self[.osVendor]?.lowercased() == "apple" { return true }
        return [self[.osFamily], self[.osName]].contains { name in
            ["ios", "ipados", "tvos", "macos", "visionos"].contains(name?.lowercased() ?? "")
        }
    }
}
