import TextCodecs

/// The first fact in which two MRSS resources differ.
public struct MediaRSSDifference: Sendable, Hashable {
    /// The path of the fact, with items and ratings counted from 1.
    ///
    /// `channel/title`, `item[2]/guid`, `item[2]/rating[1]`, `item[2]/rating[1]/@scheme` or
    /// `item[2]/rating[1]/namespace`; `item[2]` if only one of the two resources has a second item.
    public let path: String
    /// The value in the resource whose method was called; `nil` if it has none.
    ///
    /// For a whole item this is the item's title, or else its guid, or else an empty string.
    public let value: String?
    /// The value in the other resource; `nil` if it has none.
    public let otherValue: String?

    /// Compares the UTF-8 bytes of the path and the values.
    public static func == (one: Self, other: Self) -> Bool {
        one.path == other.path && isSame(one.value, other.value) && isSame(one.otherValue, other.otherValue)
    }

    /// Hashes the path only: values that are equal by their bytes always have equal paths.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
    }
}

extension MediaRSSDifference: CustomStringConvertible {
    /// The path and both values, in one line.
    ///
    /// Control characters are escaped, and so is what would make the values look the same.
    public var description: String {
        let texts = String.quotedApart([value].compactMap(\.self), [otherValue].compactMap(\.self))
        return "\(path) differs: \(texts.one.first ?? "absent") here, \(texts.other.first ?? "absent") there"
    }
}

extension MediaRSSResource {
    /// Finds the first fact in which this resource differs from another one.
    ///
    /// The channel's title is compared first, then the title, guid and ratings of each item.
    ///
    /// - Parameter other: The resource to compare with.
    /// - Returns: The first difference; `nil` if all facts are the same.
    public func firstDifference(from other: MediaRSSResource) -> MediaRSSDifference? {
        if let difference = difference(at: "channel/title", between: channelTitle, and: other.channelTitle) {
            return difference
        }
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
        if let difference = difference(at: "\(path)/title", between: title, and: other.title) { return difference }
        if let difference = difference(at: "\(path)/guid", between: guid, and: other.guid) { return difference }
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
        difference(at: "\(path)/namespace", between: namespace, and: other.namespace)
            ?? difference(at: "\(path)/@scheme", between: scheme, and: other.scheme)
            ?? difference(at: path, between: text, and: other.text)
    }
}

private func difference(
    at path: String,
    between value: String?,
    and otherValue: String?
) -> MediaRSSDifference? {
    isSame(value, otherValue) ? nil : MediaRSSDifference(path: path, value: value, otherValue: otherValue)
}

/// Whether both are absent or have the same bytes; `==` would ignore differences in normalisation.
func isSame(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
    default: false
    }
}
