import TextCodecs

extension StringProtocol {
    /// Whether the text can be the name of a host, in lower case and without a port: of 1 to 253 bytes.
    var isHost: Bool {
        1...253 ~= utf8.count && utf8.allSatisfy { $0.isASCIIDigit || 0x61...0x7A ~= $0 || "-.".utf8.contains($0) }
    }
}
