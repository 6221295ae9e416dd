public import EntitlementKeys
public import EntitlementValues

/// Verifies with the keys of files and folders, and follows them when they change.
///
/// ```swift
/// let verifier = try RotatingVerifier(keysAt: ["keys"])
/// let token = try verifier.current.verify(text, expecting: .init(requestor: "REF30", resource: "REF30"))
/// ```
///
/// The files are checked while this object exists. A verification uses the old set of keys or the new one, never a
/// mixture. With a bad or missing file no new key comes into use, which is reported once; a key whose own file is gone or
/// changed is trusted no longer all the same.
public final class RotatingVerifier: Sendable {
    private let verifier: RotatingValue<MediaTokenVerifier>

    /// Reads the keys, and starts to watch their files.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    ///   - policy: The tolerances and maximums of the verifier.
    ///   - interval: The time between checks. A check costs one `stat` per file.
    ///   - time: Measures the interval.
    ///   - report: Receives each change of the files, for a log.
    /// - Throws: `KeyError` if a file is bad now; `.noKey` if the list is empty.
    public init(
        keysAt paths: [String],
        password: KeyPassword? = nil,
        policy: VerificationPolicy = .standard,
        every interval: Duration = .seconds(10),
        by time: TimeSource = .system,
        report: @escaping @Sendable (KeyRotation) -> Void = { _ in }
    ) throws(KeyError) {
        let folder = try KeyFolder(paths: paths, password: password)
        verifier = RotatingValue(
            MediaTokenVerifier(keys: folder.keys, policy: policy), following: folder.watcher, every: interval, by: time,
            replacing: { $0.with(keys: $1) }, report: report)
    }

    /// The verifier with the keys in use.
    ///
    /// Ask for it at each verification; it takes some nanoseconds.
    public var current: MediaTokenVerifier { verifier.current }
}
