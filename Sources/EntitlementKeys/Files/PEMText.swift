import TextCodecs

/// Writes public bytes as PEM (RFC 7468): lines of 64 characters.
func pem(_ label: String, _ der: [UInt8]) -> String {
    let text = Array(Base64.encode(der).utf8)
    var lines = ["-----BEGIN \(label)-----"]
    for start in stride(from: 0, to: text.count, by: 64) {
        lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
    }
    lines.append("-----END \(label)-----")
    return lines.joined(separator: "\n") + "\n"
}
