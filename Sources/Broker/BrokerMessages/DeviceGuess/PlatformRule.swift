/// What a `User-Agent` with certain words in it says about its device.
struct PlatformRule {
    /// Where a value comes from.
    enum Source {
        /// The value itself.
        case fixed(String)
        /// The number after a word.
        case version(after: String)
        /// The number after the first slash that comes after a word.
        case versionAfterSlash(after: String)
        /// What follows a word, up to one of some characters.
        case text(after: String, until: String)
        /// The model, as most telephones write it.
        case handsetModel
    }

    /// What a device of one kind says: keys, and where their values come from.
    ///
    /// Of two sources for a key, the first that has a value counts.
    typealias Facts = [(key: DeviceInfo.Key, source: Source)]

    /// The words that must all occur.
    let words: [String]
    /// What they say.
    let facts: Facts
    /// The keys whose values may be wrong, since several kinds of device write the same.
    let uncertain: Set<DeviceInfo.Key>
    /// Whether client hints name the system better than this rule.
    let isGeneric: Bool

    init(_ words: String..., uncertain: Set<DeviceInfo.Key> = [], isGeneric: Bool = false, says facts: Facts) {
        (self.words, self.uncertain, self.isGeneric, self.facts) = (words, uncertain, isGeneric, facts)
    }

    func applies(to text: UserAgentText) -> Bool { words.allSatisfy { text.contains($0) } }
}

extension UserAgentText {
    /// The value that a source has in this text.
    func value(from source: PlatformRule.Source) -> String? {
        switch source {
        case .fixed(let value): value
        case .version(let word): version(after: word)
        case .versionAfterSlash(let word): version(afterSlashAfter: word)
        case .text(let word, let stops): text(after: word, until: stops)
        case .handsetModel: handsetModel
        }
    }
}
