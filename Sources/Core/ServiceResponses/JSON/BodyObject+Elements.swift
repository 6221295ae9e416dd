import TextCodecs

extension BodyObject {
    /// The elements of a member that is an array, in their order; `nil` if the member is absent.
    ///
    /// An element that cannot be read is a fault, and leaves its neighbours as they are. Throws if the member is not an
    /// array, or has too many elements.
    ///
    /// `text` is the whole body. `read` reads one element at a location.
    mutating func takeElements<Element>(
        _ name: String,
        _ text: Span<UInt8>,
        limit: Int = ResponseLimits.maximumElements,
        faults: inout ResponseFaults,
        read: (JSONNode, JSONLocation) throws(ServiceResponseError) -> Element
    ) throws(ServiceResponseError) -> [Element]? {
        guard let node = take(name) else { return nil }
        let path = path + name
        guard node.value.kind == .array else { throw .wrongType(path, expected: .array) }
        try ResponseLimits.check(node.elements.count, at: path, limit: limit)
        var elements: [Element] = []
        for (index, element) in node.elements.enumerated() {
            do throws(ServiceResponseError) {
                elements.append(try read(element, path + .element(index)))
            } catch {
                faults.append(error)
            }
        }
        return elements
    }

    /// The texts of a member that is an array of strings; `nil` if the member is absent.
    ///
    /// An element that is not a string is a fault.
    package mutating func takeTexts(
        _ name: String,
        _ text: Span<UInt8>,
        faults: inout ResponseFaults
    ) throws(ServiceResponseError) -> [String]? {
        try takeElements(name, text, faults: &faults) { node, path throws(ServiceResponseError) in
            guard let string = node.string(text) else { throw .wrongType(path, expected: .text) }
            return string
        }
    }
}
