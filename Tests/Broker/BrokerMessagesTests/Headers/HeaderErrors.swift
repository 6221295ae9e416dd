import BrokerMessages
import Testing

/// Makes a value that must be refused, and gives the error.
func refusal<Value>(
    _ make: () throws(BrokerHeaderError) -> Value,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> BrokerHeaderError {
    do throws(BrokerHeaderError) {
        _ = try make()
    } catch {
        return error
    }
    Issue.record("not refused", sourceLocation: sourceLocation)
    throw Unrefused()
}

/// Something was accepted that must be refused.
struct Unrefused: Error {}

/// Asserts that neither a value's description nor a dump of it shows a secret.
func expectRedacted(
    _ value: some Any,
    hiding secrets: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var dumped = ""
    dump(value, to: &dumped)
    for secret in secrets {
        #expect(!String(describing: value).contains(secret), sourceLocation: sourceLocation)
        #expect(!String(reflecting: value).contains(secret), sourceLocation: sourceLocation)
        #expect(!dumped.contains(secret), sourceLocation: sourceLocation)
    }
}
