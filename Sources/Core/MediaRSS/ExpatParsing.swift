import CExpat

/// The name of an element or attribute, with its namespace.
struct XMLName {
    /// The namespace that the prefix stands for; `nil` if the name has none.
    let namespace: String?
    let local: String
}

/// An attribute of an element; `xmlns` declarations are not among them.
struct XMLAttribute {
    let name: XMLName
    let value: String
}

extension FactReader {
    /// Parses a whole document that `documentBytes` accepted with libexpat, which is called nowhere else.
    ///
    /// The bytes are read as UTF-8. `documentBytes` has refused every DOCTYPE, so the only entities are the five of XML
    /// itself, and libexpat opens nothing outside the document.
    ///
    /// Throws the error of the first part that this reader refuses; `.notMediaRSS(.notWellFormed)` for other documents,
    /// and if libexpat ran out of memory.
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
                // `xmlns=""` ends a default namespace and names none.
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
                // `documentBytes` accepts at most 64 KiB, so one call parses them all.
                unsafe XML_Parse(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), 1)
            }
        }
        if let error = session.error { throw error }
        guard status == XML_STATUS_OK else { throw .notMediaRSS(.notWellFormed) }
        self = session.reader
    }
}

/// The byte that libexpat puts between a namespace and a local name: U+0001, which no XML document can contain.
private let separator: CChar = 1

/// The user data that libexpat passes to each handler.
@safe
private struct Session {
    var reader: FactReader
    var error: MediaRSSError?
    let parser: OpaquePointer
}

/// Passes one part of the document to the reader, and stops the parser if the reader refuses it.
private func step(
    _ session: UnsafeMutableRawPointer?,
    _ take: (inout FactReader) throws(MediaRSSError) -> Void
) {
    guard let session = unsafe session?.assumingMemoryBound(to: Session.self) else { return }
    // After it was stopped, libexpat still reports the end of the current element.
    guard unsafe session.pointee.error == nil else { return }
    do throws(MediaRSSError) {
        try unsafe take(&session.pointee.reader)
    } catch {
        unsafe session.pointee.error = error
        unsafe XML_StopParser(session.pointee.parser, 0)
    }
}

extension XMLName {
    /// Splits a name as libexpat writes it: the namespace and the separator, if there is one, then the local name.
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
    /// Reads libexpat's list of attributes: names and values in turn, ended by a null pointer.
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
