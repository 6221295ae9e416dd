#if Client
package import TestVectors

/// What random walks choose.
extension Noise {
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    package mutating func element<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    /// A key of a map; the map's own order is not the same in each run.
    package mutating func key<Value>(_ map: [String: Value]) -> String? {
        map.isEmpty ? nil : element(map.keys.sorted())
    }
}
#endif
