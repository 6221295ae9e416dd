public import Foundation

/// Keeps devices in files that only their owner can read.
public struct FileDeviceStateStore: DeviceStateStore {
    private let folder: URL

    /// Makes a store.
    ///
    /// - Parameter folder: Where the files are; it is made when something is first kept. It should be one that is not
    ///   part of backups.
    public init(in folder: URL) { self.folder = folder }

    /// Reads what was kept.
    public func load(for app: String) throws -> Data? {
        let file = file(of: app)
        return FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }

    /// Keeps the bytes: in a new file that then takes the place of the old one.
    public func save(_ bytes: Data?, for app: String) throws {
        let file = file(of: app)
        guard let bytes else {
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
            return
        }
        // Others cannot look into the folder, so they see no file of it, either, before it has its rights.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try bytes.write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private func file(of app: String) -> URL {
        // The app's id is text of the programmer's; a slash in it must not lead elsewhere.
        let name = app.utf8.map { String(format: "%02x", $0) }.joined()
        return folder.appendingPathComponent("device-\(name).json")
    }
}
