public import EntitlementKeys
public import EntitlementValues

/// Decrypts with the keys of files and folders, and follows them when they change.
///
/// ```swift
/// let decrypter = try RotatingDecrypter(keysAt: ["2026.key", "2024.key"])
/// let zip = try decrypter.current.decrypt(value, of: .zip).text
/// ```
///
/// The files are checked while this object exists. A decryption uses the old ring or the new one, never a mixture. A bad
/// or missing file changes nothing, and is reported once.
public final class RotatingDecrypter: Sendable {
    private let decrypter: RotatingValue<MetadataDecrypter>

    /// Reads the keys, and starts to watch their files.
    ///
    /// - Parameters:
    ///   - paths: Files and folders, the newest key first.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    ///   - padding: The padding of the values; no other one is tried.
    ///   - memo: Remembers decrypted values; `nil` to decrypt every value.
    ///   - interval: The time between checks. A check costs one `stat` per file.
    ///   - time: Measures the interval.
    ///   - report: Receives each change of the files, for a log.
    /// - Throws: `KeyError` if a file is bad now; `.noKey` if the list is empty.
    public init(
        keysAt paths: [String],
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false,
        padding: MetadataPadding = .insecurePKCS1v15,
        memo: MetadataMemo? = nil,
        every interval: Duration = .seconds(10),
        by time: TimeSource = .system,
        report: @escaping @Sendable (KeyRotation) -> Void = { _ in }
    ) throws(KeyError) {
        let watcher = try KeyWatcher(
            paths: paths,
            reading: { () throws(KeyError) in
                try DecryptionKeys(contentsOf: paths, password: password, allowingWeakKeys: allowingWeakKeys)
            },
            continuing: { $0.continuingUse(of: $1) })
        decrypter = RotatingValue(
            MetadataDecrypter(keys: watcher.keys, padding: padding, memo: memo), following: watcher, every: interval,
            by: time, replacing: { MetadataDecrypter(keys: $1, padding: padding, memo: memo) }, report: report)
    }

    /// The decrypter with the keys in use.
    ///
    /// Ask for it at each decryption; it takes some nanoseconds.
    public var current: MetadataDecrypter { decrypter.current }
}
