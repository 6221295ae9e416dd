#if Client
import EntitlementKeys
public import EntitlementValues
import HostSystem
import TextCodecs

/// The folder in which a simulator keeps its keys from one start to the next.
///
/// `media.key`, `access.key` and `metadata.key` are private keys, each with a certificate that names `simulator.invalid`;
/// `media.pem`, `access.pem` and `metadata.pem` are the certificates alone, for verifiers and for what encrypts. Only the
/// owner may use the folder and the private keys.
/// `state.json` is what a simulator remembers, if it is kept; `state.lock` is held by the one process that keeps it.
public struct SimulatorFolder: Sendable, Hashable {
    /// The path.
    public let path: String

    /// The file that `tve verify --keys` and other verifiers of media tokens take.
    public var mediaKeyFile: String { "\(path)/media.pem" }
    /// The private key of a sample programmer, which `tve decrypt --keys` takes; it belongs to ``metadataCertificate(at:)``.
    public var metadataKeyFile: String { "\(path)/metadata.key" }
    /// The file with what the simulator remembers, if it keeps that.
    public var stateFile: String { "\(path)/state.json" }

    /// Uses a folder, and makes it if it is missing.
    ///
    /// - Parameter path: The folder.
    /// - Throws: `SimulationError.inaccessible`.
    public init(_ path: String) throws(SimulationError) {
        self.path = path
        try SimulationError.naming(path, Files.makePrivateFolder(path))
        guard try SimulationError.naming(path, Files.kind(of: path)) == .folder else {
            throw .inaccessible(path: path, reason: "it is not a folder")
        }
    }

    /// The keys of an earlier start, or new ones, which are kept.
    ///
    /// - Parameter now: When the certificates of new keys begin.
    /// - Returns: The keys.
    /// - Throws: `SimulationError.foreignKey` if a file holds a key that no simulator made, `.keys`, `.folder`,
    ///   `.inaccessible`.
    public func keys(at now: Timestamp = .now) throws(SimulationError) -> SimulatorKeys {
        let media = try key("media", at: now)
        let access = try key("access", at: now)
        return try SimulatorKeys(media: media, access: access)
    }

    /// The certificate to which a sample programmer lets user metadata be encrypted, in PEM: of an earlier start, or a new one,
    /// which is kept.
    ///
    /// - Parameter now: When a new certificate begins.
    /// - Returns: The certificate, for ``SimulatedRequestor/metadataCertificate``.
    /// - Throws: As ``keys(at:)``.
    public func metadataCertificate(at now: Timestamp = .now) throws(SimulationError) -> String {
        try key("metadata", at: now).certificate
    }

    private func key(_ name: String, at now: Timestamp) throws(SimulationError) -> SimulatorKey {
        let file = "\(path)/\(name).key"
        let found: SimulatorKey
        if Files.exists(file) {
            guard (try? Files.isOpenToOthers(file)) == false else {
                throw .folder(path: file, reason: "others besides its owner can read or change it; chmod 600")
            }
            found = try SimulatorKey(contentsOfFile: file)
        } else {
            found = try SimulatorKey.generated(named: "simulator-\(name)", at: now)
            try write(found.content, to: file, isPrivate: true)
        }
        let publicFile = "\(path)/\(name).pem"
        if !Files.exists(publicFile) {
            try write(WipedBytes(Array(found.certificate.utf8)), to: publicFile, isPrivate: false)
        } else if try content(of: publicFile) != Array(found.certificate.utf8) {
            // A verifier that reads it would refuse all tokens, or trust those of another key.
            throw .folder(path: publicFile, reason: "it is not the certificate in \(name).key; remove it")
        }
        return found
    }

    private func content(of file: String) throws(SimulationError) -> [UInt8] {
        try SimulationError.naming(file, Files.read(file, maximumSize: 65_536)).withSpan { [UInt8](copying: $0) }
    }

    private func write(_ bytes: WipedBytes, to file: String, isPrivate: Bool) throws(SimulationError) {
        try SimulationError.naming(file, Files.create(file, holding: bytes, isPrivate: isPrivate))
    }
}
#endif
