/// The members of a JSON object, in the order of the text.
///
/// Names are bytes, since Swift's strings call different spellings equal.
package struct JSONMembers {
    package typealias Member = (name: [UInt8], value: JSONValue)

    package private(set) var list: [Member] = []
    /// Where each name is, once there are many.
    ///
    /// Most objects have few, and for those a dictionary costs more than it saves.
    private var places: [[UInt8]: Int] = [:]
    private static let few = 16

    package init() {}

    package subscript(name: [UInt8]) -> JSONValue? { index(of: name).map { list[$0].value } }

    /// Adds a member; `false` where there is one of that name.
    mutating func add(_ name: [UInt8], _ value: JSONValue) -> Bool {
        guard index(of: name) == nil else { return false }
        if list.isEmpty { list.reserveCapacity(8) }
        list.append((name, value))
        if list.count > Self.few { notePlaces() }
        return true
    }

    private mutating func notePlaces() {
        for place in places.count..<list.count { places[list[place].name] = place }
    }

    private func index(of name: [UInt8]) -> Int? {
        list.count > Self.few ? places[name] : list.firstIndex { $0.name == name }
    }
}
