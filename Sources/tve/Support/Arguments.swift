#if CLI
public import ArgumentParser
import EntitlementValues
public import MetadataDecryption
public import TVETesting

// How values of the library are written on the command line.

extension Timestamp {
    /// Reads RFC 3339 or epoch milliseconds.
    static func argument(_ text: String) throws -> Timestamp {
        guard let instant = Timestamp(text) else {
            throw ValidationError(
                "Give RFC 3339 with its zone (2026-11-20T12:00:00Z) or 13 digits of milliseconds.")
        }
        return instant
    }
}

extension MetadataPadding: ExpressibleByArgument {}

extension TestTokenFault: ExpressibleByArgument {}

extension TestTokenLayout.Root: ExpressibleByArgument {}

extension TestTokenLayout.SecondMarker: ExpressibleByArgument {}
#endif
