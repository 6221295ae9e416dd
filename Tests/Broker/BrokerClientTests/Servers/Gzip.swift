#if Client
import Foundation
import TestVectors

/// Compressed bodies, made by the `gzip` command.
enum Gzip {
    private static let smallOutput = output(of: "printf '{\"compressed\":true}' | gzip -9n")
    private static let bombOutput = output(of: "head -c 100000000 /dev/zero | gzip -9n")

    /// A small object: `{"compressed":true}`.
    static var small: [UInt8] { get async { await smallOutput.value } }
    /// 100 MB of zeros.
    static var bomb: [UInt8] { get async { await bombOutput.value } }

    private static func output(of command: String) -> Task<[UInt8], Never> {
        Task { (try? await Program.run(URL(filePath: "/bin/sh"), ["-c", command]).bytes) ?? [] }
    }
}
#endif
