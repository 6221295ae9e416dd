package import TextCodecs

/// The reason why a record of a table was not read or changed; each user of a table has public words for it.
///
/// No case holds anything of a record.
package enum SealedTableError: Error, Hashable {
    /// The store did not answer, or refused.
    case store(RecordStoreError)
    /// libcrypto failed: a record was not sealed, or its place is not known.
    case sealing(SealingError)
    /// What is stored does not open.
    case opening(SealingError)
    /// What opened is no record of the table. The reason names members at most.
    case damaged(at: JSONLocation, reason: String)
    /// The record is another one's: it was moved here in a store that is not sealed.
    case misplaced
    /// A newer release wrote the record, in a form that this one must not touch.
    case newerSchema(found: UInt32, known: UInt32)
    /// Others changed the record in each attempt.
    case contended(attempts: Int)
    /// The task was cancelled between two attempts, after so many.
    case cancelled(attempts: Int)
}
