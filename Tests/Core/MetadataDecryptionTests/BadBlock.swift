import EntitlementKeys
import TestVectors
import TextCodecs

/// The kinds of blocks that cannot be decrypted, made of different bytes each time.
enum BadBlock: CaseIterable {
    case noZero, firstByte, blockType, blockTypeOfSignatures, shortPadding, zeroInPadding, zeroFirst
    case notBelowModulus
    case notUTF8, implausibleText, nulInText, emptyText

    /// The kinds with good padding, whose fault is found only after libcrypto has decrypted them.
    static let wellPadded: Set<BadBlock> = [.notUTF8, .implausibleText, .nulInText, .emptyText]

    /// A value of one block for the first key of a ring.
    func value(for keys: DecryptionKeys, _ noise: inout Noise) throws -> [UInt8] {
        if self == .notBelowModulus { return [UInt8](repeating: 0xFF, count: keys.blockLength) }
        return try keys.encrypt(block: block(of: keys.blockLength, &noise))
    }

    private func block(of length: Int, _ noise: inout Noise) -> [UInt8] {
        let text = Array("77754".utf8)
        func padded(_ text: [UInt8]) -> [UInt8] {
            [0, 2] + noise.bytes(length - 3 - text.count, in: 1...255) + [0] + text
        }
        var block = padded(text)
        switch self {
        case .noZero: return [0, 2] + noise.bytes(length - 2, in: 1...255)
        case .firstByte: block[0] = 1
        case .blockType: block[1] = UInt8.random(in: 3...255, using: &noise)
        case .blockTypeOfSignatures: block[1] = 1
        case .shortPadding: block[9] = 0
        case .zeroInPadding: block[2 + Int(noise.next() % 8)] = 0
        case .zeroFirst: block[2] = 0
        case .notBelowModulus: break
        case .notUTF8: return padded([0xFF] + noise.bytes(80))
        case .implausibleText: return padded(Array("no attribute with a shape".utf8))
        case .nulInText: return padded(text + [0] + text)
        case .emptyText: return padded([])
        }
        return block
    }
}
