#if Redis
/// Tells one server, and one run of it, from others.
struct RedisServerIdentity: Sendable {
    /// Names the run; `nil` if the server does not show it.
    let runID: String?
    /// The address, in the system's form.
    let address: [UInt8]

    /// Whether two connections may lead to different servers.
    ///
    /// One run may have several addresses. If its name is not shown, another address counts as another server.
    func mayDiffer(from other: RedisServerIdentity) -> Bool {
        if let runID, let otherID = other.runID { runID != otherID } else { address != other.address }
    }
}
#endif
