package import Foundation
import TextCodecs

/// A file of test vectors: Wycheproof's envelope around groups and tests of one kind.
package struct VectorFile<Group: Decodable & Sendable>: Decodable, Sendable {
    package let numberOfTests: Int
    package let testGroups: [Group]

    /// Reads a file below `Vectors/` of this package.
    package static func named(_ path: String) throws -> Self {
        try read(Vectors.folder.appending(path: path))
    }

    /// Reads a file at any path.
    package static func read(_ file: URL) throws -> Self {
        try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }
}

/// Finds the files of the vectors.
package enum Vectors {
    /// The folder of this package.
    package static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// `Vectors/` of this package.
    package static let folder = repository.appending(path: "Vectors")

    /// A file or folder below `Vectors/keys/`.
    package static func key(_ name: String) -> String {
        folder.appending(path: "keys").appending(path: name).path
    }

    /// The folder of third-party vectors that `TVE_WYCHEPROOF` names; they are not part of this repository.
    package static let wycheproof = ProcessInfo.processInfo.environment["TVE_WYCHEPROOF"].map { URL(filePath: $0) }

    /// Decodes pairs of hexadecimal digits.
    package static func bytes(hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
