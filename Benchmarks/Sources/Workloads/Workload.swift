/// One thing to be timed.
public struct Workload: Sendable {
    /// What the operation does, in words; the same in every run.
    public let name: String
    /// The name of the workload that it is compared with, the bare calls with the same key; `nil` if there is none.
    public let floor: String?
    /// Whether one operation is long enough for the clock; the suite runs a shorter one a thousand times.
    public let isLong: Bool
    private let repeated: @Sendable (Int) async throws -> Bool

    /// Runs the operation `times` times, one after the other.
    ///
    /// - Throws: `WorkloadError` if a result is wrong, so that nothing broken is timed.
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

    /// Makes a workload that prepares itself or has its own loop.
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

/// Why a workload cannot be timed.
public enum WorkloadError: Error {
    /// The operation of this name gave a wrong result.
    case wrongOutcome(String)
    /// The key file could not be prepared for OpenSSL's calls.
    case unusableKey(String)
    /// A token could not be split into the parts that other libraries need.
    case unexpectedToken
}

extension Workload {
    /// Makes all workloads: first those of other libraries, then those of this package.
    public static func all() throws -> [Workload] {
        let issuers = try [1024, 2048, 4096].map(Issuer.init)
        guard let usual = issuers.first(where: { $0.bits == 2048 }) else { throw WorkloadError.unexpectedToken }
        return try issuers.flatMap(references) + [jwtKit(usual)] + issuers.flatMap(verifications)
            + [fiveKeys(usual)] + refusals(usual) + phases(usual) + batches(usual) + [redemption]
            + decryptions(usual) + signing(usual)
    }
}
