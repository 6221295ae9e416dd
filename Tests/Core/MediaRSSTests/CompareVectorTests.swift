import MediaRSS
import TestVectors
import Testing

/// Every pair of resources of the vectors, whose verdicts another implementation has confirmed.
@Suite struct CompareVectorTests {
    static let file = Result { try VectorFile<CompareGroup>.named("media_rss/media_rss_compare_test.json") }

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        let count = file.testGroups.map(\.tests.count).reduce(0, +)
        #expect(count == file.numberOfTests)
        #expect(count >= 60)
    }

    /// Empty if the file cannot be read; the test above reports that.
    static let cases = (try? file.get())?.testGroups.flatMap(\.tests) ?? []

    @Test(arguments: cases)
    func `Verdict is the stated one`(_ test: CompareTest) {
        let found = Verdict(comparing: test.expected, with: test.presented)
        #expect(found.result == test.result)
        #expect(found.path == test.firstDifference)
        #expect(found.code == test.expectedError)
    }

    @Test(arguments: cases)
    func `Verdict is the same the other way round`(_ test: CompareTest) {
        let found = Verdict(comparing: test.presented, with: test.expected)
        #expect(found.result == test.result)
        #expect(found.path == test.firstDifference)
    }
}

/// The module's verdict on two texts, in the terms of the vectors.
struct Verdict {
    let result: String
    var path: String?
    var code: String?

    init(comparing expected: String, with presented: String) {
        do throws(MediaRSSError) {
            let difference = try MediaRSSResource(expected).firstDifference(from: MediaRSSResource(presented))
            result = difference == nil ? "equal" : "different"
            path = difference?.path
        } catch {
            result = "invalid"
            code = error.code
        }
    }
}

struct CompareGroup: Decodable, Sendable {
    let tests: [CompareTest]
}

struct CompareTest: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let expected: String
    let presented: String
    let result: String
    let firstDifference: String?
    let expectedError: String?

    var testDescription: String { "tcId \(tcId): \(comment)" }
}
