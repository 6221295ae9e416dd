package import TextCodecs

/// A body that the entitlement service answers with.
///
/// Bodies are JSON (RFC 8259) in UTF-8. A body is refused if it is longer than 8 MiB, contains NUL, has more than 64
/// levels, or if an object at any level has two members of one name. `null` counts as absent. Members that the
/// definition of the body does not name are kept as they were sent.
public protocol ServiceResponse: Sendable {
    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    init(parsing bytes: Span<UInt8>) throws(ServiceResponseError)
}

extension ServiceResponse {
    /// Reads a body from a string.
    ///
    /// - Parameter text: The whole body, JSON.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing text: String) throws(ServiceResponseError) {
        self = try text.withBytes { bytes throws(ServiceResponseError) in try Self(parsing: bytes) }
    }

    /// Reads a body from an array.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: [UInt8]) throws(ServiceResponseError) {
        let slice = bytes[...]
        try self.init(parsing: slice.span)
    }
}

/// The limits on a body, which bound the time and the memory that a body from outside can take.
///
/// They are far above what services send. A body of two-byte elements would otherwise take a hundred times its length.
public enum ResponseLimits: Sendable {
    /// The longest body, in bytes.
    public static let maximumLength = 8 << 20
    /// The most JSON values in a body, at all levels together.
    public static let maximumValues = 50_000
    /// The most profiles, attributes of all profiles together, or names of encrypted attributes in a body, and the most
    /// elements of each array in a body of decisions.
    public static let maximumElements = 1000
    /// The most faults that a response lists; it counts all.
    public static let maximumFaults = 100

    /// Checks the number of elements at a location; throws `.tooMany(_:limit:)`.
    package static func check(
        _ count: Int,
        at path: JSONLocation,
        limit: Int = maximumElements
    ) throws(ServiceResponseError) {
        guard count <= limit else { throw .tooMany(path, limit: limit) }
    }
}

/// The first faults of a body, and the number of all.
package struct ResponseFaults {
    /// As many of the faults as a response lists.
    package private(set) var first: [ServiceResponseError] = []
    /// The number of all faults.
    package private(set) var count = 0

    /// Begins without faults.
    package init() {}

    /// Adds a fault.
    package mutating func append(_ fault: ServiceResponseError) {
        count += 1
        if first.count < ResponseLimits.maximumFaults { first.append(fault) }
    }

    /// Adds the faults of one part of a body.
    package mutating func append(contentsOf faults: [ServiceResponseError]) {
        for fault in faults { append(fault) }
    }
}
