#if CLI
import ArgumentParser
import HostSystem
import OpenSSLBridge

/// The version of the tool, with what decides about its behaviour.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version, that of OpenSSL, and the traits of this build.",
        discussion: """
            Example:
              tve version

            Exit codes: 0 done; 74 output failed.
            """
    )

    /// The line that is shown.
    static let line = "\(releaseVersion) (\(openSSLVersion); traits \(traits.joined(separator: ", ")))"

    private static var traits: [String] {
        var traits = ["CLI"]
        #if Client
        traits.append("Client")
        #endif
        #if Redis
        traits.append("Redis")
        #endif
        #if Service
        traits.append("Service")
        #endif
        return traits
    }

    func run() throws {
        try Console.write("\(Self.line)\n")
    }
}
#endif
