import CExpat

/// The name of an element or attribute, with the namespace that its prefix stands for.
struct XMLName {
    /// `nil` without one.
    let namespace: String?
    let local: String
}

/// An attribute, without those that declare namespaces.
struct XMLAttribute {
    let name: XMLName
    let value: String
}

extension FactReader {
    /// Reads a whole document with expat: the one place where libexpat is called.
    ///
    /// UTF-8 whatever the document declares. `documentBytes` lets no DOCTYPE through, so that there are no entities but
    /// the five of XML itself, and nothing outside the document to be opened.
    ///
    /// - Throws: What is odd about the first part that is; `.notMediaRSS(.notWellFormed)`, also where libexpat had no
    ///   memory.
    mutating func read(_ bytes: [UInt8]) throws(MediaRSSError) {
        guard let parser = unsafe XML_ParserCreateNS("UTF-8", separator) else { throw .notMediaRSS(.notWellFormed) }
        defer { unsafe XML_ParserFree(parser) }
        unsafe XML_SetElementHandler(
            parser,
            { session, name, attributes in
                unsafe step(session) { reader throws(MediaRSSError) in
                    guard let name = unsafe name else { return }
                    let attributes = unsafe attributes.map { unsafe XMLAttribute.list($0) } ?? []
                    try unsafe reader.begin(XMLName(expanded: name), attributes: attributes)
                }
            },
            { session, _ in unsafe step(session) { $0.end() } }
        )
        unsafe XML_SetStartNamespaceDeclHandler(parser) { session, _, namespace in
            unsafe step(session) { reader throws(MediaRSSError) in
                // None where a default namespace ends.
                guard let namespace = unsafe namespace else { return }
                try reader.declare(namespace: unsafe String(cString: namespace))
            }
        }
        unsafe XML_SetCharacterDataHandler(parser) { session, text, count in
            unsafe step(session) { reader throws(MediaRSSError) in
                let text = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
                try unsafe reader.take(text: text.bindMemory(to: UInt8.self).span)
            }
        }
        unsafe XML_SetCommentHandler(parser) { session, _ in
            unsafe step(session) { reader throws(MediaRSSError) in try reader.takeComment() }
        }

        var session = unsafe Session(reader: self, parser: parser)
        let status = unsafe withUnsafeMutablePointer(to: &session) { session in
            unsafe XML_SetUserData(parser, session)
            return unsafe bytes.withUnsafeBytes { bytes in
                // At most 64 KiB come here, so all are read at once.
                unsafe XML_Parse(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), 1)
            }
        }
        if let error = session.error { throw error }
        guard status == XML_STATUS_OK else { throw .notMediaRSS(.notWellFormed) }
        self = session.reader
    }
}

/// What stands between a namespace and a local name: no document can hold it, not even as a reference.
private let separator: CChar = 1

/// What libexpat hands to each handler.
@safe
private struct Session {
    var reader: FactReader
    var error: MediaRSSError?
    let parser: OpaquePointer
}

/// Has the reader take one part, and stops the parser where it refuses.
private func step(
    _ session: UnsafeMutableRawPointer?,
    _ take: (inout FactReader) throws(MediaRSSError) -> Void
) {
    guard let session = unsafe session?.assumingMemoryBound(to: Session.self) else { return }
    // A parser that was stopped still tells of the end of the element that it is at.
    guard unsafe session.pointee.error == nil else { return }
    do throws(MediaRSSError) {
        try unsafe take(&session.pointee.reader)
    } catch {
        unsafe session.pointee.error = error
        unsafe XML_StopParser(session.pointee.parser, 0)
    }
}

extension XMLName {
    /// Takes a name as expat writes it: the namespace, if there is one, and the separator before the local name.
    fileprivate init(expanded name: UnsafePointer<CChar>) {
        let name = unsafe String(cString: name)
        guard let end = name.utf8.firstIndex(of: UInt8(separator)) else {
            self.init(namespace: nil, local: name)
            return
        }
        self.init(namespace: String(name[..<end]), local: String(name[name.utf8.index(after: end)...]))
    }
}

extension XMLAttribute {
    /// Takes names and values in turn, up to a null pointer.
    fileprivate static func list(_ pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>) -> [XMLAttribute] {
        var attributes: [XMLAttribute] = []
        var next = unsafe pointers
        while let name = unsafe next[0], let value = unsafe next[1] {
            unsafe attributes.append(XMLAttribute(name: XMLName(expanded: name), value: String(cString: value)))
            unsafe next += 2
        }
        return attributes
    }
}
