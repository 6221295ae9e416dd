/// Does `work`, and throws what `other` makes of its error.
///
/// For a call whose error is one case of the caller's: `try rethrowing(SealingKeys(contentsOfFile: path), as:
/// DeviceRecordsError.sealing)`.
@inlinable
package func rethrowing<Value: ~Copyable, Failure: Error, Other: Error>(
    _ work: @autoclosure () throws(Failure) -> Value,
    as other: (Failure) -> Other
) throws(Other) -> Value {
    do throws(Failure) {
        return try work()
    } catch {
        throw other(error)
    }
}

/// The same for `work` that is waited for.
@inlinable
package func rethrowing<Value, Failure: Error, Other: Error>(
    awaiting work: @autoclosure () async throws(Failure) -> Value,
    as other: (Failure) -> Other
) async throws(Other) -> Value {
    do throws(Failure) {
        return try await work()
    } catch {
        throw other(error)
    }
}
