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

extension JSON.Object {
    /// Writes claims to sign: members in their order, no white space.
    ///
    /// Throws `.unsuitableClaim` with the name of the outermost member that cannot be written.
    func signableJSON() throws(RequestorSigningError) -> [UInt8] {
        try check(within: nil, depth: 1)
        var writer = JSONWriter(escaping: .minimal)
        writer.members(json: self)
        return writer.finished
    }

    fileprivate func check(within claim: String?, depth: Int) throws(RequestorSigningError) {
        var names: Set<[UInt8]> = []
        for member in members {
            let claim = claim ?? member.name
            guard !member.name.isEmpty else { throw .unsuitableClaim(name: claim, .unnamed) }
            guard names.insert(Array(member.name.utf8)).inserted else {
                throw .unsuitableClaim(name: claim, .repeated)
            }
            try member.value.check(within: claim, depth: depth)
        }
    }
}

extension JSON {
    fileprivate func check(within claim: String, depth: Int) throws(RequestorSigningError) {
        switch self {
        case .null, .bool, .number, .string: return
        case .otherNumber: throw .unsuitableClaim(name: claim, .notWhole)
        case .array, .object:
            guard depth < maximumDepth else { throw .unsuitableClaim(name: claim, .tooDeep) }
            for element in array ?? [] { try element.check(within: claim, depth: depth + 1) }
            try object?.check(within: claim, depth: depth + 1)
        }
    }
}
