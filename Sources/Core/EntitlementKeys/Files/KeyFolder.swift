public import EntitlementValues

/// Keeps the keys of files and folders current while a program runs.
///
/// A changed file makes a new set, which replaces the whole old one; verifications under way finish with the set that
/// they began with. If a file is bad, no new key comes into use, and the error is reported; a key whose own file is gone or
/// changed leaves the set all the same, even the last one. So replace files by renaming, which leaves no moment in which a
/// file is missing or half written.
///
/// For most uses, `RotatingVerifier` of the module `MediaTokens` does all of this in a line.
///
/// ```swift
/// let folder = try KeyFolder(path: "keys")
/// let verifier = Mutex(MediaTokenVerifier(keys: folder.keys))
/// for await change in folder.changes() {
///     switch change {
///     case .replaced(let keys): verifier.withLock { $0 = $0.with(keys: keys) }
///     case .refused(let error): log("keys unchanged: \(error)")
///     @unknown default: break
///     }
/// }
/// ```
public final class KeyFolder: Sendable {
    package let watcher: KeyWatcher<VerificationKeys>

    /// The files and folders that are watched.
    public var paths: [String] { watcher.paths }

    /// Reads the keys for the first time.
    ///
    /// - Parameters:
    ///   - path: A file or a folder.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`, since an older set to fall back on does not exist yet.
    public convenience init(path: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(paths: [path], password: password)
    }

    /// Reads the keys for the first time.
    ///
    /// - Parameters:
    ///   - paths: Files and folders, which make one set.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`, since an older set to fall back on does not exist yet; `.noKey` if the list is empty.
    public init(paths: [String], password: KeyPassword? = nil) throws(KeyError) {
        watcher = try KeyWatcher(
            paths: paths,
            reading: { () throws(KeyError) in try VerificationKeys(contentsOf: paths, password: password) },
            continuing: { $0.continuingUse(of: $1) },
            withdrawing: { keys in
                let rest = keys.remaining(at: paths, password: password)
                return rest.keys.count < keys.keys.count ? rest : nil
            })
    }

    /// The set in use.
    public var keys: VerificationKeys { watcher.keys }

    /// Checks the files now, and reads them if one of them has changed.
    ///
    /// - Returns: The change; `nil` if nothing has changed since the last check.
    public func reload() -> KeyFolderChange? { watcher.reload().map { KeyFolderChange($0) } }

    /// Reports changes as they are found, until the task that iterates is cancelled.
    ///
    /// - Parameters:
    ///   - interval: The time between checks. A check costs one `stat` per file.
    ///   - time: Measures the interval.
    /// - Returns: A sequence that ends only when its task is cancelled.
    public func changes(
        every interval: Duration = .seconds(10),
        by time: TimeSource = .system
    ) -> AsyncStream<KeyFolderChange> {
        AsyncStream { [watcher] in
            var changes = watcher.changes(every: interval, by: time).makeAsyncIterator()
            return await changes.next().map { KeyFolderChange($0) }
        }
    }
}

/// A change of the files in a key folder.
@nonexhaustive
public enum KeyFolderChange: Sendable {
    /// The files have changed; the new set is in use.
    case replaced(VerificationKeys)
    /// A file has changed and is bad, or is missing; the set in use stays.
    ///
    /// If keys were taken away meanwhile, `replaced` with the rest of the set came before this.
    case refused(KeyError)

    fileprivate init(_ change: Result<VerificationKeys, KeyError>) {
        self =
            switch change {
            case .success(let keys): .replaced(keys)
            case .failure(let error): .refused(error)
            }
    }
}

extension VerificationKeys {
    /// The same keys, with the counts of use of an older set.
    package func continuingUse(of older: VerificationKeys) -> VerificationKeys {
        VerificationKeys(
            keys.map { key in
                older.keys.first { $0.fingerprint == key.fingerprint }.map(key.continuingUse(of:)) ?? key
            }
        )
    }
}

extension VerificationKeys {
    /// The keys whose fingerprints are not among some.
    package func without(_ fingerprints: Set<String>) -> VerificationKeys {
        VerificationKeys(keys.filter { !fingerprints.contains($0.fingerprint) })
    }

    /// The keys that were not taken away since they were read.
    ///
    /// A key stays if one of the files has it. If one of them is missing or bad, its name may be a typing error: a key
    /// then stays also if its own file is unchanged (`ReadFile.isUnchanged`).
    ///
    /// The keys must come from `paths` now; without any, no key stays. `areAll` says that these are all paths, and not
    /// only those that may be read. The password opens PKCS#12 files and Java key stores among them.
    package func remaining(
        at paths: [String],
        areAll: Bool = true,
        password: KeyPassword?
    ) -> VerificationKeys {
        var refused: [KeyError]? = []
        let found = (try? Self.read(paths, password: password, refused: &refused)) ?? []
        let canAllBeRead = areAll && (refused ?? []).isEmpty
        let present = Set(found.map(\.fingerprint))
        // Of each file once: it may hold many keys.
        var unchanged: [String: Bool] = [:]
        return VerificationKeys(
            keys.filter { key in
                if present.contains(key.fingerprint) { return true }
                if canAllBeRead { return false }
                if let known = unchanged[key.source] { return known }
                let isUnchanged = key.isInItsFile
                unchanged[key.source] = isUnchanged
                return isUnchanged
            })
    }
}

extension DecryptionKeys {
    /// The same keys, with the counts of use of an older ring: a key that stayed where it was is the same one.
    package func continuingUse(of older: DecryptionKeys) -> DecryptionKeys {
        DecryptionKeys(
            keys.map { key in
                older.keys.first {
                    $0.fingerprint == key.fingerprint && $0.label == key.label && $0.source == key.source
                } ?? key
            })
    }
}
