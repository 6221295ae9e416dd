#if Client
import Foundation
import Testing

/// The code in the articles is that of `FlowArticleCode.swift`, which the compiler has seen.
@Suite struct FlowArticleTests {
    /// The parts between a line and the next line of another text, without the indent of the first of these lines.
    private static func parts(of lines: [String], from start: String, to end: String) -> [String] {
        var parts: [String] = []
        var rest = lines[...]
        while let first = rest.firstIndex(where: { $0.drop { $0 == " " } == start }) {
            let indent = rest[first].prefix { $0 == " " }.count
            let body = rest[(first + 1)...].prefix { $0.drop { $0 == " " } != end }
            parts.append(body.map { String($0.dropFirst(min(indent, $0.count))) }.joined(separator: "\n"))
            rest = rest[body.endIndex...]
        }
        return parts
    }

    @Test(arguments: [
        ("EntitlementFlows.md", 1), ("LeavingTheSDK.md", 3), ("LeavingTheSDKForAndroid.md", 0),
        ("LeavingTheSDKForFireOS.md", 0), ("LeavingTheSDKForJavaScript.md", 0), ("OldPages.md", 0),
        ("WhatIsStored.md", 0),
    ])
    func `The code of an article is compiled`(article: String, count: Int) throws {
        let code = try FlowArticles.lines(FlowArticles.here.appending(path: "FlowArticleCode.swift"))
        // Parts of a manifest are compiled by themselves (`.ci/snippets.py`).
        let shown = Self.parts(of: try FlowArticles.article(article), from: "```swift", to: "```")
            .filter { !$0.hasPrefix(".package(") }
        let compiled = Self.parts(of: code, from: "// \(article)", to: "// end")
        #expect(shown == compiled)
        #expect(shown.count == count)
    }

    @Test func `Each article of the module is checked`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: FlowArticles.folder.path).sorted()
        #expect(
            names == [
                "EntitlementFlows.md", "LeavingTheSDK.md", "LeavingTheSDKForAndroid.md", "LeavingTheSDKForFireOS.md",
                "LeavingTheSDKForJavaScript.md", "OldPages.md", "WhatIsStored.md",
            ])
    }
}
#endif
