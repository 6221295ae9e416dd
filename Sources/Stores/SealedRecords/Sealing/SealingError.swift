import TextCodecs

/// The reason why a record could not be sealed or opened, or why its keys cannot be used.
///
/// No case holds a key, or anything of a record. Nothing is written or overwritten when one is thrown.
@nonexhaustive
public enum SealingError: Error, Sendable, Hashable {
    /// The file of keys cannot be read or written; the reason is the system's.
    case unreadableKeys(file: String, reason: String)
    /// Users outside the group of the file may read it, or others than its owner may change it.
    case keysOpenToOthers(file: String)
    /// The file is not a file of keys; lines count from 1, and 0 stands for the whole file.
    case malformedKeys(file: String, line: Int, reason: String)
    /// A name cannot be that of a key.
    case unusableKeyID
    /// The ring has a key of this name already, or as many keys as it may have.
    case cannotAddKey(id: String, reason: String)
    /// The record was sealed with a key that is not in the ring.
    case unknownKey(id: String)
    /// The record does not open with the key it names: the ring has another key under that name, or the record was
    /// changed, was moved here from another place, or is an old one under a new version.
    case doesNotOpen(keyID: String)
    /// The store belongs to another ring: its index key is another one.
    case otherRing
    /// The record is not sealed, and this sealer opens only sealed ones.
    case notSealed
    /// The record is sealed, and this sealer has no keys.
    case isSealed(keyID: String)
    /// The record is not of a form that any sealer writes.
    case malformedRecord
    /// A newer version of this library sealed the record.
    case newerForm
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case undecided(reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .unreadableKeys: "sealing_keys_unreadable"
        case .keysOpenToOthers: "sealing_keys_open_to_others"
        case .malformedKeys: "sealing_keys_malformed"
        case .unusableKeyID: "sealing_key_id_unusable"
        case .cannotAddKey: "sealing_key_not_added"
        case .unknownKey: "sealing_key_unknown"
        case .doesNotOpen: "record_does_not_open"
        case .otherRing: "sealing_keys_of_another_store"
        case .notSealed: "record_not_sealed"
        case .isSealed: "record_is_sealed"
        case .malformedRecord: "record_malformed"
        case .newerForm: "record_newer_form"
        case .undecided: "sealing_undecided"
        }
    }
}

extension SealingError: CustomStringConvertible {
    /// What happened, to which file or key, and what to do, in one line.
    public var description: String {
        switch self {
        case .unreadableKeys(let file, let reason): "\(file.printable): \(reason)"
        case .keysOpenToOthers(let file):
            "\(file.printable) has sealing keys, and other users may read or change it; run: chmod 600 FILE"
        case .malformedKeys(let file, 0, let reason): "\(file.printable) is not a file of sealing keys: \(reason)"
        case .malformedKeys(let file, let line, let reason): "\(file.printable), line \(line): \(reason)"
        case .unusableKeyID:
            "the ID of a sealing key has 1 to \(SealingKeys.maximumIDLength) ASCII letters, digits, dots, hyphens and "
                + "underscores; choose another one"
        case .cannotAddKey(let id, let reason): "the sealing key \(id) was not added: \(reason)"
        case .unknownKey(let id):
            "a record is sealed with the key \(id), which the ring does not have; add it to the file of sealing keys"
        case .doesNotOpen(let id):
            "a record that names the sealing key \(id) does not open: the ring has another key of that name, or the "
                + "record was changed or moved; restore the key or the store"
        case .otherRing:
            "the store was sealed with another file of sealing keys; give that file, or start with an empty store"
        case .notSealed: "a record is not sealed; use the store without keys, or start with an empty one"
        case .isSealed(let id): "a record is sealed with the key \(id), and no keys were given; give the file of keys"
        case .malformedRecord: "a record has a form that this library does not write; restore the store"
        case .newerForm: "a newer release sealed a record; use that release"
        case .undecided(let reason): "\(reason); try again"
        }
    }
}
