/// One thing to be timed.
public struct Workload: Sendable {
    /// What is done, in words; the same in every run.
    public let name: String
    /// The name of the workload that it is compared with: the bare calls with the same key; `nil` where there are none.
    public let floor: String?
    /// Whether once takes long enough for a clock, so that nobody has to do it a thousand times.
    public let isLong: Bool
    private let repeated: @Sendable (Int) async throws -> Bool

    /// Does it some times, one after the other.
    ///
    /// - Throws: `WorkloadError` where it did not come out as it must, so that nothing broken is ever timed.
    public func run(_ times: Int) async throws {
        guard try await repeated(times) else { throw WorkloadError.wrongOutcome(name) }
    }

    init(
        _ name: String,
        floor: String? = nil,
        isLong: Bool = false,
        _ operation: @escaping @Sendable () throws -> Bool
    ) {
        self.init(
            name, floor: floor, isLong: isLong,
            repeated: { times in
                for _ in 0..<times where try !operation() { return false }
                return true
            })
    }

    init(
        _ name: String,
        floor: String? = nil,
        isLong: Bool = false,
        awaiting operation: @escaping @Sendable () async throws -> Bool
    ) {
        self.init(
            name, floor: floor, isLong: isLong,
            repeated: { times in
                for _ in 0..<times where try await !operation() { return false }
                return true
            })
    }

    /// For what prepares itself in its own way, or has a loop of its own.
    init(
        _ name: String,
        floor: String? = nil,
        isLong: Bool = false,
        repeated: @escaping @Sendable (Int) async throws -> Bool
    ) {
        self.name = name
        self.floor = floor
        self.isLong = isLong
        self.repeated = repeated
    }
}

/// Says why a workload is no measure.
public enum WorkloadError: Error {
    /// The operation of this name did not come out as it must.
    case wrongOutcome(String)
    /// The key file could not be prepared for OpenSSL's calls.
    case unusableKey(String)
    /// A token did not come apart where it was to be given to others in parts.
    case unexpectedToken
}

extension Workload {
    /// Everything that is timed, what others do first.
    public static func all() throws -> [Workload] {
        let issuers = try [1024, 2048, 4096].map(Issuer.init)
        guard let usual = issuers.first(where: { $0.bits == 2048 }) else { throw WorkloadError.unexpectedToken }
        return try issuers.flatMap(references) + [jwtKit(usual)] + issuers.flatMap(verifications)
            + [fiveKeys(usual)] + refusals(usual) + phases(usual) + batches(usual) + [redemption]
            + decryptions(usual) + signing(usual)
    }
}
