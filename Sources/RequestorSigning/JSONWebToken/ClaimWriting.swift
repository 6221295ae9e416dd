import TextCodecs

/// Says why a claim cannot be written.
@nonexhaustive
public enum ClaimFault: Sendable, Hashable {
    /// Its name is empty.
    case unnamed
    /// The signer writes a claim of this name itself.
    case reserved
    /// The name occurs twice in one object.
    case repeated
    /// Its value is nested deeper than 32 levels.
    case tooDeep
    /// It is a number, but not a whole number within 64 bits.
    case notWhole
}

extension ClaimFault: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .unnamed: "has no name"
        case .reserved: "is written by the signer itself; leave it out"
        case .repeated: "occurs twice in one object"
        case .tooDeep: "is nested deeper than 32 levels"
        case .notWhole: "is not a whole number within 64 bits; write it as a string"
        }
    }
}

private let maximumDepth = 32

extension ClaimSet {
    /// Writes the object as JSON: members in their order, no white space.
    func json() throws(RequestorSigningError) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(to: &bytes, within: nil, depth: 1)
        return bytes
    }

    /// Appends the object; errors name the outermost member that contains it.
    fileprivate func append(
        to bytes: inout [UInt8],
        within claim: String?,
        depth: Int
    ) throws(RequestorSigningError) {
        var names: Set<[UInt8]> = []
        bytes.append(UInt8(ascii: "{"))
        for member in members {
            let claim = claim ?? member.name
            guard !member.name.isEmpty else { throw .unsuitableClaim(name: claim, .unnamed) }
            guard names.insert(Array(member.name.utf8)).inserted else {
                throw .unsuitableClaim(name: claim, .repeated)
            }
            if names.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.appendJSON(member.name)
            bytes.append(UInt8(ascii: ":"))
            try member.value.append(to: &bytes, within: claim, depth: depth)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension ClaimValue {
    fileprivate func append(
        to bytes: inout [UInt8],
        within claim: String,
        depth: Int
    ) throws(RequestorSigningError) {
        switch self {
        case .string(let text): bytes.appendJSON(text)
        case .number(let number): bytes += String(number).utf8
        case .otherNumber: throw .unsuitableClaim(name: claim, .notWhole)
        case .bool(let bool): bytes += (bool ? "true" : "false").utf8
        case .null: bytes += "null".utf8
        case .object(let members):
            guard depth < maximumDepth else { throw .unsuitableClaim(name: claim, .tooDeep) }
            try members.append(to: &bytes, within: claim, depth: depth + 1)
        case .array(let elements):
            guard depth < maximumDepth else { throw .unsuitableClaim(name: claim, .tooDeep) }
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.append(to: &bytes, within: claim, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }
}
