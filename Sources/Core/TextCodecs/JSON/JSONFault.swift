/// Says why a text is not the JSON that it must be, and where.
package struct JSONFault: Error {
    /// What kind of fault it is.
    package enum Kind: Sendable, Hashable {
        /// The text is not JSON, or not the one value that was asked for.
        case syntax
        /// An object has two members of one name.
        case repeatedMember
        /// The text has more levels than are read.
        case tooDeep
        /// An object has more members, or an array more elements, than are read.
        case tooManyMembers(limit: Int)
        /// The text has more values than the caller reads.
        case tooManyValues(limit: Int)
        /// A member that must be there is missing, or `null` where that counts as absent.
        case missing
        /// A value is not what was asked for.
        case wrongType(JSONType)
        /// A value has the right type and is not allowed all the same, or an object has a member that it must not have.
        case notAllowed
    }

    package let kind: Kind
    /// What is wrong, without anything of the text but names of members.
    package let reason: String
    /// Where the fault is, counted from the value that was read.
    ///
    /// It ends at the last object or array whose contents were kept; see `JSONReader`.
    package private(set) var location = JSONLocation.root
    /// How many bytes of what was read are before the fault; `nil` if its place was not noted.
    package private(set) var offset: Int?
    /// The name of the member that occurs twice.
    package private(set) var repeatedName: String?

    /// A fault of the kind `syntax`.
    package init(reason: String) { self.init(.syntax, reason) }

    /// A fault of the kind `syntax`, whose place is a count of bytes from the start of what is read.
    init(_ what: String, at offset: Int) {
        self.init(.syntax, "\(what) at byte \(offset)")
        self.offset = offset
    }

    /// A fault of a value at the place where it is or should be.
    ///
    /// `words` say what is wrong, as the rest of a sentence that begins with the location: `is empty`.
    package init(_ kind: Kind, at location: JSONLocation, _ words: String) {
        self.init(kind, "\(location.steps.isEmpty ? "the value" : location.description) \(words)")
        self.location = location
    }

    private init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    static func tooManyValues(limit: Int) -> JSONFault {
        JSONFault(.tooManyValues(limit: limit), "more than \(limit) values")
    }

    static func tooManyElements(limit: Int) -> JSONFault {
        JSONFault(.tooManyMembers(limit: limit), "an array of more than \(limit) elements")
    }

    /// The same fault, as seen from the object or array around its value.
    func inside(_ step: JSONLocation.Step) -> JSONFault {
        var fault = self
        fault.location = JSONLocation(steps: [step] + location.steps)
        return fault
    }

    static let tooDeep = JSONFault(.tooDeep, "nested deeper than \(JSONReader.maximumDepth) levels")
    static let tooManyMembers = JSONFault(
        .tooManyMembers(limit: JSONReader.maximumMembers), "an object of more than \(JSONReader.maximumMembers) members"
    )

    /// An object with two members of one name, which the fault's reason does not show.
    ///
    /// `offset` is how many bytes of what is read are before the second of them.
    static func repeated(_ name: String, at offset: Int) -> JSONFault {
        var fault = JSONFault(.repeatedMember, "a member occurs twice")
        (fault.repeatedName, fault.offset) = (name, offset)
        return fault
    }
}

/// Names what a value was expected to be.
package enum JSONType: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case identifier = "a string with something in it"
    case wholeNumber = "a whole number"
    case boolean = "true or false"
}

extension JSONFault {
    /// A word that other writers put in the place of a JSON value.
    struct ForeignWord: CustomStringConvertible {
        private let word: String
        private let cure: String

        private static let noNumber = "write null for it (Python's json.dumps refuses it with allow_nan=False)"
        private static let ofPython = "write the object with json.dumps, not with str"
        private static let known: [(word: String, cure: String)] = [
            ("NaN", noNumber), ("Infinity", noNumber), ("-Infinity", noNumber), ("None", ofPython), ("True", ofPython),
            ("False", ofPython), ("undefined", "write null for it"),
        ]

        /// Recognises a word; `nil` if none of them stands there.
        init?(_ text: Span<UInt8>, at start: Int, before end: Int) {
            let found = Self.known.first { known in
                let word = Array(known.word.utf8)
                return word.count <= end - start && word.indices.allSatisfy { text[start + $0] == word[$0] }
            }
            guard let found else { return nil }
            word = found.word
            cure = found.cure
        }

        /// The word, and what to write in its place.
        var description: String { "\(word), which JSON does not have; \(cure)" }
    }
}
