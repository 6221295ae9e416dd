#if Client
import Foundation
import TestVectors
import Testing

/// The rows as text, which the tests of the package for apps read: it is held to the same ones.
@Suite struct RowsAsTextTests {
    @Test func `The file of the package for apps has these rows, and no other`() throws {
        let file = Vectors.repository.appending(path: "Examples/app-sdk/Tests/RowsOfTheLibrary.txt")
        let text = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let found = text.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n")
        let rows = RowsOfTheLibraryTests.rows.map { row in
            ([row.testDescription] + row.callbacks.map { "    \($0)" }).joined(separator: "\n")
        }
        for row in rows { #expect(found.contains(row), "RowsOfTheLibrary.txt lacks:\n\(row)") }
        for row in found { #expect(rows.contains(row), "RowsOfTheLibrary.txt has what is no row:\n\(row)") }
    }
}
#endif
