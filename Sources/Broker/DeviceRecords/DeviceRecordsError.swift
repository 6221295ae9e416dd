public import SealedRecords
public import TextCodecs

/// The reason why a device's record could not be read or changed.
///
/// No case holds anything of a record.
@nonexhaustive
public enum DeviceRecordsError: Error, Sendable, Hashable {
    /// The store did not answer, or refused.
    case store(RecordStoreError)
    /// The record could not be sealed or opened.
    case sealing(SealingError)
    /// The record opened, but it is not a device's record: the member at the place is missing or has another type.
    case damaged(at: JSONLocation)
    /// A newer version of this library wrote the record, in a form that this one must not touch.
    case newerSchema(found: UInt32, known: UInt32)
    /// Other tasks and processes changed the record each time that this one tried.
    case contended(attempts: Int)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .store(let error): error.code
        case .sealing(let error): error.code
        case .damaged: "device_record_damaged"
        case .newerSchema: "device_record_newer"
        case .contended: "device_record_contended"
        }
    }
}

extension DeviceRecordsError {
    init(_ error: SealedTableError) {
        self =
            switch error {
            case .store(let error): .store(error)
            case .sealing(let error), .opening(let error): .sealing(error)
            case .damaged(let place, _): .damaged(at: place)
            case .misplaced: .damaged(at: .root + "device")
            case .newerSchema(let found, let known): .newerSchema(found: found, known: known)
            case .contended(let attempts), .cancelled(let attempts): .contended(attempts: attempts)
            }
    }
}

extension DeviceRecordsError: CustomStringConvertible {
    /// What happened, and what to do about it.
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .sealing(let error): error.description
        case .damaged(let place):
            "a device's record is damaged at \(place); forget the device, which then registers anew"
        case .newerSchema(let found, let known):
            "a device's record has form \(found), and this release reads up to \(known); use the release that wrote it"
        case .contended(let attempts):
            "a device's record was changed by others in \(attempts) attempts; let fewer processes serve one device"
        }
    }
}
