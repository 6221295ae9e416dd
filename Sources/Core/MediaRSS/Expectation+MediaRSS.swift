public import EntitlementValues

extension Expectation where Value == ResourceID {
    /// Accepts an MRSS resource that has the same facts as the expected one, however it is spelled.
    ///
    /// ``MediaRSSResource`` says which facts are compared. The expected resource is parsed here, once. A token does not
    /// match if its resource is not an MRSS fragment, or is an ambiguous one.
    ///
    /// - Parameter expected: The MRSS fragment that the application asked for.
    /// - Returns: An expectation for a media token's resource.
    /// - Throws: ``MediaRSSError`` if the expected resource cannot be compared; any of its cases.
    public static func mediaRSS(_ expected: ResourceID) throws(MediaRSSError) -> Self {
        let resource = try MediaRSSResource(expected)
        return .matching(expected) { presented in
            guard let other = try? MediaRSSResource(presented) else { return false }
            return resource.firstDifference(from: other) == nil
        }
    }
}
