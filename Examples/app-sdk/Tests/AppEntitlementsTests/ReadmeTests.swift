import Foundation
import Testing

/// The README says what is compiled, and names every call and callback.
@Suite struct ReadmeTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
    }

    @Test(arguments: ["Tests/SampleBefore/Player.swift", "Tests/SampleAfter/Player.swift"])
    func `Both samples are those of the compiled files`(path: String) throws {
        let code = try Self.text(path).replacingOccurrences(of: "import OldLibrary", with: "import AccessEnabler")
        #expect(try Self.text("README.md").contains("```swift\n\(code)```"))
    }

    @Test func `Each public call of the client and each callback is in the tables`() throws {
        let readme = try Self.text("README.md")
        var names: Set<String> = []
        let folder = Self.package.appendingPathComponent("Sources/AppEntitlements/Client")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { "Client/\($0)" }
        for file in files + ["Words/EntitlementDelegate.swift"] {
            for line in try Self.text("Sources/AppEntitlements/\(file)").split(separator: "\n") {
                let words = line.trimmingPrefix { $0 == " " }
                let isCall = words.hasPrefix("public func ") || (file.hasPrefix("Words") && words.hasPrefix("func "))
                guard isCall, let start = words.range(of: "func ") else { continue }
                names.insert(String(words[start.upperBound...].prefix { $0.isLetter }))
            }
        }
        #expect(names.count > 25)
        for name in names { #expect(readme.contains("`\(name)"), "\(name)") }
    }
}
