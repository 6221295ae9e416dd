#if Client
import Foundation

/// Compressed bodies, made by the `gzip` command.
enum Gzip {
    /// A small object: `{"compressed":true}`.
    static let small = output(of: "printf '{\"compressed\":true}' | gzip -9n")
    /// 100 MB of zeros.
    static let bomb = output(of: "head -c 100000000 /dev/zero | gzip -9n")

    private static func output(of command: String) -> [UInt8] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = pipe
        do { try process.run() } catch { return [] }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(data)
    }
}
#endif
