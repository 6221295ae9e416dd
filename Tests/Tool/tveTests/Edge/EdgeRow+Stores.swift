#if CLI
import DeviceRecords
import EntitlementKeys
import SQLiteStores
import SealedRecords
import StoreAddresses
import TextCodecs
import TokenLifetimes

extension EdgeRow {
    /// Stores, and what is sealed in them.
    static let stores: [EdgeRow] = [
        EdgeRow(
            "SQLiteStoreError.unusablePath", SQLiteStoreError.unusablePath(":memory:"), option: "--state",
            file: "a.sqlite", ends: 78, "unusable_path", at: "a.sqlite",
            """
            --state: ":memory:" does not name a file that other processes could share; give the path of \
            a file
            """),
        EdgeRow(
            "SQLiteStoreError.cannotOpen", SQLiteStoreError.cannotOpen(path: "a.sqlite", reason: "no rights"),
            option: "--state", file: "a.sqlite", ends: 78, "cannot_open", at: "a.sqlite",
            """
            --state: a.sqlite cannot be used: no rights; give a path in a folder of this host that this \
            user may write
            """),
        EdgeRow(
            "SQLiteStoreError.notADatabase", SQLiteStoreError.notADatabase(path: "a.sqlite"), option: "--state",
            file: "a.sqlite", ends: 78, "not_a_database", at: "a.sqlite",
            "--state: a.sqlite is not a SQLite database; give the path of a new file"),
        EdgeRow(
            "SQLiteStoreError.otherApplication", SQLiteStoreError.otherApplication(path: "a.sqlite"), option: "--state",
            file: "a.sqlite", ends: 78, "other_application", at: "a.sqlite",
            "--state: a.sqlite is a database of another program; give the path of a new file"),
        EdgeRow(
            "SQLiteStoreError.otherStore", SQLiteStoreError.otherStore(path: "a.sqlite", holds: .ledgers),
            option: "--state", file: "a.sqlite", ends: 78, "other_store", at: "a.sqlite",
            "--state: a.sqlite holds ledgers; open it with SQLiteLedgerStore, or give the path of a new file"),
        EdgeRow(
            "SQLiteStoreError.newerVersion", SQLiteStoreError.newerVersion(path: "a.sqlite", found: 9),
            option: "--state", file: "a.sqlite", ends: 78, "newer_version", at: "a.sqlite",
            "--state: a.sqlite has version 9 of the format, written by a newer release; use that one"),
        EdgeRow(
            "SQLiteStoreError.damaged", SQLiteStoreError.damaged(path: "a.sqlite"), option: "--state", file: "a.sqlite",
            ends: 78, "damaged", at: "a.sqlite",
            "--state: a.sqlite is damaged; move it away to start with an empty file (what it held is lost)"),
        EdgeRow(
            "SQLiteStoreError.altered", SQLiteStoreError.altered(path: "a.sqlite", what: "a trigger"),
            option: "--state", file: "a.sqlite", ends: 78, "altered", at: "a.sqlite",
            """
            --state: a.sqlite has a trigger, which no store makes: the user who made it decides what the \
            file remembers; move it away to start with an empty file, and find out who that was
            """),
        EdgeRow(
            "SQLiteStoreError.moved", SQLiteStoreError.moved(path: "a.sqlite"), option: "--state", file: "a.sqlite",
            ends: 69, "moved", at: "a.sqlite",
            """
            --state: a.sqlite was removed, renamed or replaced while in use; restart this process with \
            the new file
            """),
        EdgeRow(
            "SQLiteStoreError.unavailable", SQLiteStoreError.unavailable(path: "a.sqlite", reason: "locked"),
            option: "--state", file: "a.sqlite", ends: 69, "unavailable", at: "a.sqlite",
            """
            --state: a.sqlite did not answer: locked; check the disk and the other processes that use \
            the file
            """),
        EdgeRow(
            "SQLiteStoreError.ledger", SQLiteStoreError.ledger(.full(capacity: 9)), option: "--state", file: "a.sqlite",
            ends: 78, "full", at: "a.sqlite",
            """
            --state: the ledger is full with 9 entitlements; sweep what has expired, or give it a \
            larger capacity
            """),
        EdgeRow(
            "ReplayStoreOpeningError.sqlite", ReplayStoreOpeningError.sqlite(.moved(path: "a.sqlite")),
            option: "--store", ends: 69, "moved", at: "a.sqlite",
            """
            --store: a.sqlite was removed, renamed or replaced while in use; restart this process with \
            the new file
            """),
        EdgeRow(
            "ReplayStoreOpeningError.password", ReplayStoreOpeningError.password(.noSuchFile(file: "password.txt")),
            option: "--store", ends: 78, "no_such_file", at: "password.txt",
            "--store: password.txt: no such file or folder"),
        EdgeRow(
            "ReplayStoreOpeningError.redis",
            ReplayStoreOpeningError.redis(
                code: "bad_ca", detail: "the authority is none", setting: "caFile", file: "ca.pem"), option: "--store",
            ends: 78, "bad_ca", at: "ca.pem", "--store: the authority is none"),
        EdgeRow(
            "ReplayStoreOpeningError.secretsRefused",
            ReplayStoreOpeningError.secretsRefused(code: "refused", detail: "the server refuses the password"),
            option: "--store", ends: 78, "refused", "--store: the server refuses the password"),
        EdgeRow(
            "SealingError.unreadableKeys",
            SealingError.unreadableKeys(file: "a.keys", reason: "is a folder, not a file"), option: "--sealing-keys",
            file: "a.keys", ends: 78, "sealing_keys_unreadable", at: "a.keys",
            "--sealing-keys: a.keys: is a folder, not a file"),
        EdgeRow(
            "SealingError.keysOpenToOthers", SealingError.keysOpenToOthers(file: "a.keys"), option: "--sealing-keys",
            file: "a.keys", ends: 78, "sealing_keys_open_to_others", at: "a.keys",
            """
            --sealing-keys: a.keys has sealing keys, and other users may read or change it; run: chmod \
            600 FILE
            """),
        EdgeRow(
            "SealingError.malformedKeys", SealingError.malformedKeys(file: "a.keys", line: 2, reason: "no key"),
            option: "--sealing-keys", file: "a.keys", ends: 78, "sealing_keys_malformed", at: "a.keys",
            "--sealing-keys: a.keys, line 2: no key"),
        EdgeRow(
            "SealingError.unusableKeyID", SealingError.unusableKeyID, option: "--sealing-keys", file: "a.keys",
            ends: 78, "sealing_key_id_unusable", at: "a.keys",
            """
            --sealing-keys: the ID of a sealing key has 1 to 32 ASCII letters, digits, dots, hyphens \
            and underscores; choose another one
            """),
        EdgeRow(
            "SealingError.cannotAddKey", SealingError.cannotAddKey(id: "1", reason: "it is there"),
            option: "--sealing-keys", file: "a.keys", ends: 78, "sealing_key_not_added", at: "a.keys",
            "--sealing-keys: the sealing key 1 was not added: it is there"),
        EdgeRow(
            "SealingError.unknownKey", SealingError.unknownKey(id: "1"), option: "--sealing-keys", file: "a.keys",
            ends: 78, "sealing_key_unknown", at: "a.keys",
            """
            --sealing-keys: a record is sealed with the key 1, which the ring does not have; add it to \
            the file of sealing keys
            """),
        EdgeRow(
            "SealingError.doesNotOpen", SealingError.doesNotOpen(keyID: "1"), option: "--sealing-keys", file: "a.keys",
            ends: 78, "record_does_not_open", at: "a.keys",
            """
            --sealing-keys: a record that names the sealing key 1 does not open: the ring has another \
            key of that name, or the record was changed or moved; restore the key or the store
            """),
        EdgeRow(
            "SealingError.otherRing", SealingError.otherRing, option: "--sealing-keys", file: "a.keys", ends: 78,
            "sealing_keys_of_another_store", at: "a.keys",
            """
            --sealing-keys: the store was sealed with another file of sealing keys; give that file, or \
            start with an empty store
            """),
        EdgeRow(
            "SealingError.notSealed", SealingError.notSealed, option: "--sealing-keys", file: "a.keys", ends: 78,
            "record_not_sealed", at: "a.keys",
            "--sealing-keys: a record is not sealed; use the store without keys, or start with an empty one"),
        EdgeRow(
            "SealingError.isSealed", SealingError.isSealed(keyID: "1"), option: "--sealing-keys", file: "a.keys",
            ends: 78, "record_is_sealed", at: "a.keys",
            "--sealing-keys: a record is sealed with the key 1, and no keys were given; give the file of keys"),
        EdgeRow(
            "SealingError.malformedRecord", SealingError.malformedRecord, option: "--sealing-keys", file: "a.keys",
            ends: 78, "record_malformed", at: "a.keys",
            "--sealing-keys: a record has a form that this library does not write; restore the store"),
        EdgeRow(
            "SealingError.newerForm", SealingError.newerForm, option: "--sealing-keys", file: "a.keys", ends: 78,
            "record_newer_form", at: "a.keys", "--sealing-keys: a newer release sealed a record; use that release"),
        EdgeRow(
            "SealingError.undecided", SealingError.undecided(reason: "libcrypto failed"), option: "--sealing-keys",
            file: "a.keys", ends: 78, "sealing_undecided", at: "a.keys", "--sealing-keys: libcrypto failed; try again"),
        EdgeRow(
            "DeviceRecordsError.store", DeviceRecordsError.store(.unavailable(reason: "away")), ends: 69,
            "record_store_unavailable", "--store: away"),
        EdgeRow(
            "DeviceRecordsError.sealing", DeviceRecordsError.sealing(.otherRing), ends: 78,
            "sealing_keys_of_another_store",
            """
            --store: the store was sealed with another file of sealing keys; give that file, or start \
            with an empty store
            """),
        EdgeRow(
            "DeviceRecordsError.damaged", DeviceRecordsError.damaged(at: .root), ends: 78, "device_record_damaged",
            "--store: a device's record is damaged at $; forget the device, which then registers anew"),
        EdgeRow(
            "DeviceRecordsError.newerSchema", DeviceRecordsError.newerSchema(found: 9, known: 1), ends: 78,
            "device_record_newer",
            """
            --store: a device's record has form 9, and this release reads up to 1; use the release that \
            wrote it
            """),
        EdgeRow(
            "DeviceRecordsError.contended", DeviceRecordsError.contended(attempts: 8), ends: 69,
            "device_record_contended",
            """
            --store: a device's record was changed by others in 8 attempts; let fewer processes serve \
            one device
            """),
    ]
}
#endif
