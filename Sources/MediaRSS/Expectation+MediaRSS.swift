public import EntitlementValues

extension Expectation where Value == ResourceID {
    /// Accepts an MRSS resource whose facts are those of the expected one; see ``MediaRSSResource`` for what counts.
    ///
    /// The expected resource is read here, once. A token whose resource is no MRSS fragment, or an ambiguous one, does
    /// not match.
    /// - Parameter expected: The MRSS fragment that the application asked for.
    /// - Returns: The expectation.
    /// - Throws: ``MediaRSSError``, all of its cases, about the expected resource.
    public static func mediaRSS(_ expected: ResourceID) throws(MediaRSSError) -> Self {
        let resource = try MediaRSSResource(expected)
        return .matching(expected) { presented in
            guard let other = try? MediaRSSResource(presented) else { return false }
            return resource.firstDifference(from: other) == nil
        }
    }
}
