import EntitlementKeys
import Foundation
import MetadataDecryption
import Synchronization
import TestVectors
import Testing

/// Decrypts every metadata vector; the expected outcomes come from another implementation.
@Suite struct MetadataVectorTests {
    static let file = Result {
        try VectorFile<MetadataGroup>.named("metadata_decryption/metadata_decryption_test.json")
    }

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        let count = file.testGroups.map(\.tests.count).reduce(0, +)
        #expect(count == file.numberOfTests)
        #expect(count >= 200)
    }

    /// Keys by file, cached because reading one takes longer than decrypting with it.
    static let keys = Mutex<[[String]: DecryptionKeys]>([:])

    /// Empty if the file cannot be read, which the test above reports.
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test(arguments: cases)
    func `Outcome is the stated one`(_ vector: MetadataCase) throws {
        let test = vector.test
        let keys = try Self.keys.withLock { cache in
            if let keys = cache[vector.keys] { return keys }
            let keys = try DecryptionKeys(contentsOf: vector.keys.map(Vectors.key), allowingWeakKeys: true)
            cache[vector.keys] = keys
            return keys
        }
        let padding = try #require(MetadataPadding(rawValue: vector.padding))
        // The second time from the memo.
        let decrypter = MetadataDecrypter(keys: keys, padding: padding, memo: MetadataMemo(capacity: 2))
        for _ in 0..<2 {
            do throws(MetadataDecryptionError) {
                let read = try decrypter.decrypt(test.value, of: test.attribute.map { MetadataAttribute($0) })
                #expect(test.result != "invalid")
                #expect(test.expectedText.map { Array($0.utf8) } == Array(read.text.utf8))
                #expect(URL(filePath: read.key.source).lastPathComponent == test.expectedKey)
            } catch {
                let codes = [test.expectedCode].compactMap { $0 } + (test.otherCodes ?? [])
                #expect(test.result != "valid", "\(error)")
                #expect(codes.contains(error.code), "\(error)")
            }
        }
    }
}

struct MetadataGroup: Decodable, Sendable {
    let keys: [String]
    let padding: String
    let tests: [MetadataTest]

    var cases: [MetadataCase] { tests.map { MetadataCase(keys: keys, padding: padding, test: $0) } }
}

struct MetadataTest: Decodable, Sendable {
    let tcId: Int
    let comment: String
    let attribute: String?
    let value: String
    let result: String
    let expectedText: String?
    let expectedKey: String?
    let expectedCode: String?
    let otherCodes: [String]?
}

struct MetadataCase: Sendable, CustomTestStringConvertible {
    let keys: [String]
    let padding: String
    let test: MetadataTest

    var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
}
