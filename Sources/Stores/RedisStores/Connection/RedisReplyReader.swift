#if Redis
import CHiredis

/// Decodes replies from the bytes that a server sends; hiredis does it.
@safe
struct RedisReplyReader: ~Copyable {
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    /// How many bytes one reply may have.
    private let maximumReply: Int
    /// The bytes that came since the last whole reply.
    private var unfinished = 0

    /// The most elements that a list may announce: hiredis allocates memory for an announced length.
    private static let maximumElements = 4096
    /// hiredis's own way to make a list.
    private static let makeList = {
        let reader = unsafe redisReaderCreate()
        defer { unsafe redisReaderFree(reader) }
        return unsafe reader?.pointee.fn.pointee.createArray
    }()

    /// Makes a reader of replies of at most `maximumReply` bytes; throws `.unreachable` if there is not enough memory.
    init(maximumReply: Int) throws(RedisFailure) {
        guard let reader = unsafe redisReaderCreate() else { throw .unreachable("out of memory") }
        unsafe self.reader = reader
        unsafe functions = .allocate(capacity: 1)
        unsafe functions.initialize(to: reader.pointee.fn.pointee)
        unsafe functions.pointee.createArray = { task, count in
            guard count <= RedisReplyReader.maximumElements else { return nil }
            return unsafe RedisReplyReader.makeList?(task, count)
        }
        unsafe reader.pointee.fn = functions
        self.maximumReply = maximumReply
    }

    deinit {
        unsafe redisReaderFree(reader)
        unsafe functions.deallocate()
    }

    /// Whether no byte waits that was not part of a reply.
    var isEmpty: Bool { unsafe reader.pointee.len == reader.pointee.pos }

    /// Takes bytes that arrived; throws `.nonsense` if a reply becomes larger than it may be.
    mutating func feed(_ bytes: Span<UInt8>) throws(RedisFailure) {
        unfinished += bytes.count
        let code = unsafe bytes.withUnsafeBufferPointer { unsafe redisReaderFeed(reader, $0.baseAddress, $0.count) }
        guard code == REDIS_OK, unfinished <= maximumReply else { throw .nonsense }
    }

    /// Takes the next reply out of the bytes that arrived; `nil` if it is not whole yet.
    ///
    /// Throws `.nonsense` if it is something that Redis never sends.
    mutating func next() throws(RedisFailure) -> RedisReply? {
        var raw: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else { throw .nonsense }
        guard let raw = unsafe raw else { return nil }
        defer { unsafe freeReplyObject(raw) }
        unfinished = unsafe reader.pointee.len - reader.pointee.pos
        guard let reply = unsafe Self.reply(raw.assumingMemoryBound(to: redisReply.self).pointee) else {
            throw .nonsense
        }
        return reply
    }

    /// Copies a reply; `nil` if it is of a kind that no command here gets.
    private static func reply(_ reply: redisReply) -> RedisReply? {
        let text = unsafe UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : Int(reply.len))
        switch unsafe reply.type {
        case REDIS_REPLY_NIL: return .null
        case REDIS_REPLY_STATUS where unsafe text.elementsEqual("OK".utf8): return .okay
        case REDIS_REPLY_STATUS: return unsafe .status(String(decoding: text.prefix(20), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return unsafe .number(reply.integer)
        case REDIS_REPLY_STRING: return unsafe .text(Array(text))
        case REDIS_REPLY_ARRAY:
            var elements: [RedisReply] = []
            for index in unsafe 0..<Int(reply.elements) {
                guard let element = unsafe reply.element[index].flatMap({ unsafe Self.reply($0.pointee) }) else {
                    return nil
                }
                elements.append(element)
            }
            return .list(elements)
        case REDIS_REPLY_ERROR where unsafe text.starts(with: "ERR max number of clients".utf8): return .noPlace
        case REDIS_REPLY_ERROR:
            let word = unsafe text.prefix(20).prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            return unsafe .error(String(decoding: word, as: UTF8.self))
        default: return nil
        }
    }
}
#endif
