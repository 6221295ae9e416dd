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
    }

    package let kind: Kind
    /// What is wrong, without anything of the text but names of members.
    package let reason: String
    /// Where the fault is, counted from the value that was read.
    ///
    /// It ends at the last object or array whose contents were kept; see `JSONReader`.
    package private(set) var location = JSONLocation.root

    /// A fault of the kind `syntax`.
    package init(reason: String) { self.init(.syntax, reason) }

    private init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The same fault, as seen from the object or array around its value.
    func inside(_ step: JSONLocation.Step) -> JSONFault {
        var fault = self
        fault.location = JSONLocation(steps: [step] + location.steps)
        return fault
    }

    static let tooDeep = JSONFault(.tooDeep, "nested deeper than \(JSONReader.maximumDepth) levels")
    static let brokenName = JSONFault(.syntax, "a broken escape in a name")
    static let brokenText = JSONFault(.syntax, "half a surrogate pair")
    static let repeated = JSONFault(.repeatedMember, "a member occurs twice")
}
