#if Client

/// Random numbers that a seed repeats (SplitMix64).
package struct WalkRandom {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    package mutating func element<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    /// A key of a map; the map's own order is not the same in each run.
    package mutating func key<Value>(_ map: [String: Value]) -> String? {
        map.isEmpty ? nil : element(map.keys.sorted())
    }
}
#endif
