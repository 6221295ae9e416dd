#if CLI
public import ArgumentParser
import EntitlementValues
public import MetadataDecryption
package import RowBatches
public import TVETesting

// How types of the library are written on the command line.

extension Timestamp {
    /// Reads an instant, RFC 3339 or epoch milliseconds; throws `ValidationError` if it is neither.
    static func argument(_ text: String) throws -> Timestamp {
        guard let instant = Timestamp(text) else {
            throw ValidationError(
                "Give RFC 3339 with its zone (2026-11-20T12:00:00Z) or 13 digits of milliseconds.")
        }
        return instant
    }
}

/// Reads the argument of an option; one that is refused is a wrong command line.
func argument<Value>(of option: String, _ read: () throws -> Value) throws -> Value {
    do {
        return try read()
    } catch {
        throw ValidationError("\(option): \(error)")
    }
}

extension MetadataPadding: ExpressibleByArgument {}

extension FailedRowPolicy: ExpressibleByArgument {}

extension SeparatedForm.Quoting: ExpressibleByArgument {}

extension TestTokenFault: ExpressibleByArgument {}

extension TestTokenLayout.Root: ExpressibleByArgument {}

extension TestTokenLayout.SecondMarker: ExpressibleByArgument {}
#endif
