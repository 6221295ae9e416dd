#if Service
    import EntitlementValues
    import OpenSSLBridge

    /// The path and query of the request that a proxy asks about.
    struct OriginalAddress {
        /// The segments of the path, unescaped; `nil` where servers may disagree on what the path is.
        let segments: [String]?
        private let query: Substring

        /// Takes a path with its query apart.
        ///
        /// Whatever servers read differently leads to no resource, so that nobody plays one path by asking for another:
        /// `.`, `..` and empty segments, escaped slashes and control characters, broken escapes.
        init(_ text: Substring) {
            let path = text.prefix { $0 != "?" && $0 != "#" }
            query = text.dropFirst(path.count + 1).prefix { $0 != "#" }
            segments = Self.segments(of: path)
        }

        /// The values of a query parameter, unescaped.
        func values(of parameter: String) -> [String] {
            query.split(separator: "&").compactMap { part in
                let name = part.prefix { $0 != "=" }
                guard name == parameter else { return nil }
                let value = part.dropFirst(name.count + 1)
                // What is no escape stands as it is: a verdict on it says more than its absence.
                return Self.unescaped(value).map { String(decoding: $0, as: UTF8.self) } ?? String(value)
            }
        }

        private static func segments(of path: Substring) -> [String]? {
            guard path.first == "/" else { return nil }
            let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            var segments: [String] = []
            for (index, part) in parts.enumerated() {
                if part.isEmpty, index == parts.count - 1 {
                    segments.append("")
                    continue
                }
                guard let segment = segment(part), segment != ".", segment != ".." else { return nil }
                segments.append(segment)
            }
            return segments
        }

        private static func segment(_ part: Substring) -> String? {
            // A slash can only come from an escape here; some servers take a backslash for one.
            let isAmbiguous = { (octet: UInt8) in
                octet < 0x20 || octet == 0x7F || octet == UInt8(ascii: "/") || octet == UInt8(ascii: "\\")
            }
            guard let octets = unescaped(part), !octets.isEmpty, !octets.contains(where: isAmbiguous),
                octets.span.isTextWithoutNUL
            else { return nil }
            return String(decoding: octets, as: UTF8.self)
        }

        /// Octets with their percent-escapes resolved; `nil` where one is broken.
        private static func unescaped(_ part: Substring) -> [UInt8]? {
            var octets: [UInt8] = []
            let text = Array(part.utf8)
            var index = 0
            while index < text.count {
                if text[index] == UInt8(ascii: "%") {
                    guard index + 2 < text.count, let high = text[index + 1].hexDigitValue,
                        let low = text[index + 2].hexDigitValue
                    else { return nil }
                    octets.append(high << 4 | low)
                    index += 3
                } else {
                    octets.append(text[index])
                    index += 1
                }
            }
            return octets
        }
    }
#endif
