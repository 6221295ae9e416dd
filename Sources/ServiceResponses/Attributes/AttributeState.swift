/// Says how the value of an attribute came.
public enum AttributeState: Sendable, Hashable {
    /// As it is.
    case plain
    /// Encrypted for the programmer: Base64 of RSA blocks.
    case encrypted

    /// Reads the text of a `state`: `plain`, `enc`, also `encrypted`, in any case.
    ///
    /// Everything else is no state at all, and no state is ever taken for `plain`.
    package init?(text: String) {
        // ASCII letters only: other letters that fold to these are other texts.
        let bytes = text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        switch String(decoding: bytes, as: UTF8.self) {
        case "plain": self = .plain
        case "enc", "encrypted": self = .encrypted
        default: return nil
        }
    }
}
