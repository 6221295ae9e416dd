import TextCodecs

/// Names the first fact in which two MRSS resources differ.
public struct MediaRSSDifference: Sendable, Hashable {
    /// The fact, counted from 1: `channel/title`, `item[2]/guid`, `item[2]/rating[1]`, `item[2]/rating[1]/@scheme`,
    /// `item[2]/rating[1]/namespace`; or `item[2]` where only one of the two resources has such an item.
    public let path: String
    /// The value in the resource that was asked; `nil` where it has none.
    ///
    /// For a whole item it is the item's title, or else its guid, or else empty.
    public let value: String?
    /// The value in the other resource; `nil` where it has none.
    public let otherValue: String?

    /// Compares UTF-8 bytes, as the resources were compared.
    public static func == (one: Self, other: Self) -> Bool {
        one.path == other.path && isSame(one.value, other.value) && isSame(one.otherValue, other.otherValue)
    }

    /// Hashes the path, which is enough to be in step with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
    }
}

extension MediaRSSDifference: CustomStringConvertible {
    /// The path and both values, in one line.
    ///
    /// Control characters are escaped; other characters too where the values would look the same without it.
    public var description: String {
        // Swift's own comparison is the one by looks: it is true for texts that differ in normalisation only.
        let looksSame = value == otherValue
        return
            "\(path) differs: \(shown(value, inASCII: looksSame)) here, \(shown(otherValue, inASCII: looksSame)) there"
    }

    private func shown(_ value: String?, inASCII: Bool) -> String {
        guard let value else { return "absent" }
        guard inASCII else { return "\"\(value.printable)\"" }
        return "\"\(value.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
    }
}

extension MediaRSSResource {
    /// Compares two resources; `nil` where all facts that count are the same.
    /// - Parameter other: The other resource.
    /// - Returns: The first fact that differs: the channel's title first, then item by item title, guid and ratings.
    public func firstDifference(from other: MediaRSSResource) -> MediaRSSDifference? {
        if let difference = differing("channel/title", channelTitle, other.channelTitle) { return difference }
        for index in 0..<max(items.count, other.items.count) {
            let path = "item[\(index + 1)]"
            guard index < items.count, index < other.items.count else {
                return MediaRSSDifference(
                    path: path,
                    value: index < items.count ? items[index].label : nil,
                    otherValue: index < other.items.count ? other.items[index].label : nil
                )
            }
            if let difference = items[index].firstDifference(from: other.items[index], at: path) { return difference }
        }
        return nil
    }
}

extension MediaRSSResource.Item {
    fileprivate var label: String { title ?? guid ?? "" }

    fileprivate func firstDifference(from other: Self, at path: String) -> MediaRSSDifference? {
        if let difference = differing("\(path)/title", title, other.title) { return difference }
        if let difference = differing("\(path)/guid", guid, other.guid) { return difference }
        for index in 0..<max(ratings.count, other.ratings.count) {
            let path = "\(path)/rating[\(index + 1)]"
            guard index < ratings.count, index < other.ratings.count else {
                return MediaRSSDifference(
                    path: path,
                    value: index < ratings.count ? ratings[index].text : nil,
                    otherValue: index < other.ratings.count ? other.ratings[index].text : nil
                )
            }
            if let difference = ratings[index].firstDifference(from: other.ratings[index], at: path) {
                return difference
            }
        }
        return nil
    }
}

extension MediaRSSResource.Rating {
    fileprivate func firstDifference(from other: Self, at path: String) -> MediaRSSDifference? {
        differing("\(path)/namespace", namespace, other.namespace)
            ?? differing("\(path)/@scheme", scheme, other.scheme)
            ?? differing(path, text, other.text)
    }
}

private func differing(_ path: String, _ value: String?, _ otherValue: String?) -> MediaRSSDifference? {
    isSame(value, otherValue) ? nil : MediaRSSDifference(path: path, value: value, otherValue: otherValue)
}

/// Whether both are absent or have the same bytes; `==` would be true for texts that differ in normalisation.
func isSame(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
    default: false
    }
}
