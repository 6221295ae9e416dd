#if Redis
import CLibSSL
import OpenSSLBridge
import TextCodecs

/// Encrypts and decrypts the bytes of one connection with libssl, which never touches the socket.
///
/// libssl reads and writes one end of a pair of buffers; this type carries bytes between the other end and the socket. So
/// every wait has a deadline, and a server that is gone raises no SIGPIPE. Only one thread at a time uses a stream.
@safe
final class EncryptedStream {
    private let ssl: OpaquePointer
    /// The end of the pair that leads to the network.
    private let network: OpaquePointer
    private let hasCertificate: Bool

    /// How often bytes may arrive that decrypt to nothing: parts of a record, and session tickets.
    private static let maximumSilence = 65_536
    /// Room for a few of TLS's largest records, 16 KiB each.
    private static let bufferSize = 65_536

    /// Prepares a connection to a host, whose name or address the certificate must have.
    ///
    /// Throws `.encryption` if libssl fails.
    init(to host: String, in context: EncryptionContext) throws(RedisFailure) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var inner: OpaquePointer?
        var outer: OpaquePointer?
        guard let ssl = unsafe SSL_new(context.pointer) else { throw Self.failed() }
        guard unsafe BIO_new_bio_pair(&inner, Self.bufferSize, &outer, Self.bufferSize) == 1, let inner = unsafe inner,
            let outer = unsafe outer
        else {
            unsafe SSL_free(ssl)
            throw Self.failed()
        }
        unsafe self.ssl = ssl
        unsafe network = outer
        hasCertificate = context.hasCertificate
        unsafe SSL_set_bio(ssl, inner, inner)
        unsafe SSL_set_connect_state(ssl)
        // A scope such as %eth0 says where an address is reached, and does not belong to it.
        let name = String(host.prefix { $0 != "%" })
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1 { return }
        unsafe SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard unsafe SSL_set1_host(ssl, name) == 1, unsafe clibssl_set_server_name(ssl, name) == 1 else {
            throw Self.failed()
        }
    }

    deinit {
        // Frees its own end of the pair, too.
        unsafe SSL_free(ssl)
        unsafe _ = BIO_free(network)
    }

    /// Agrees on keys with the server and verifies its certificate.
    func shakeHands(over socket: borrowing StreamSocket, until deadline: Duration) throws(RedisFailure) {
        while true {
            ERR_clear_error()
            let result = unsafe SSL_do_handshake(ssl)
            let step = result == 1 ? nil : try self.step(after: result)
            try flush(to: socket, until: deadline)
            guard let step else { return }
            guard step == .needsBytes else { continue }
            do throws(RedisFailure) {
                guard try fill(from: socket, until: deadline) else { throw .encryption(.noHandshakeInTime) }
            } catch {
                throw error == .closed ? .encryption(.broken("the server closed the connection")) : error
            }
        }
    }

    /// Encrypts and sends bytes.
    func write(
        _ bytes: Span<UInt8>,
        to socket: borrowing StreamSocket,
        until deadline: Duration
    ) throws(RedisFailure) {
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            var count = 0
            ERR_clear_error()
            let result = unsafe rest.withUnsafeBufferPointer {
                unsafe SSL_write_ex(ssl, $0.baseAddress, $0.count, &count)
            }
            if result == 1 {
                position += count
            } else if try step(after: result) == .needsBytes {
                guard try fill(from: socket, until: deadline) else { throw .slow }
            }
            do throws(RedisFailure) {
                try flush(to: socket, until: deadline)
            } catch {
                // The server may have said why it closed the connection.
                if error == .closed { _ = try receive(from: socket, until: .zero) { _ in } }
                throw error
            }
        }
    }

    /// Decrypts what has arrived; if nothing has, waits until the deadline, and `false` says that nothing was
    /// decrypted.
    ///
    /// A deadline that has passed means not to wait. `take` takes decrypted bytes; what it throws is thrown.
    func receive(
        from socket: borrowing StreamSocket,
        until deadline: Duration,
        _ take: (Span<UInt8>) throws(RedisFailure) -> Void
    ) throws(RedisFailure) -> Bool {
        for _ in 0..<Self.maximumSilence {
            if let bytes = try decrypted() {
                try bytes.withSpan { bytes throws(RedisFailure) in try take(bytes) }
                return true
            }
            // An answer to the server's own messages, such as a change of keys.
            try flush(to: socket, until: deadline)
            guard try fill(from: socket, until: deadline) else { return false }
        }
        throw .nonsense
    }

    /// Whether the server has sent nothing that matters.
    ///
    /// Session tickets of TLS 1.3 arrive unasked, and matter not. After a fault it is not quiet.
    func isQuiet(over socket: borrowing StreamSocket) -> Bool {
        (try? receive(from: socket, until: .zero) { _ in }) == false
    }

    // MARK: Between libssl and the socket

    private enum Step { case needsBytes, hasBytes }

    /// What libssl needs to go on; throws if it cannot.
    private func step(after result: Int32) throws(RedisFailure) -> Step {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .needsBytes
        case SSL_ERROR_WANT_WRITE: return .hasBytes
        case SSL_ERROR_ZERO_RETURN: throw .closed
        default:
            // Good after the handshake, and before a certificate has arrived.
            let verification = unsafe SSL_get_verify_result(ssl)
            throw .encryption(EncryptionFailure(verification: verification, hasCertificate: hasCertificate))
        }
    }

    /// Decrypts some bytes; `nil` if there are none.
    private func decrypted() throws(RedisFailure) -> [UInt8]? {
        var count = 0
        var result: Int32 = 0
        ERR_clear_error()
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
            result = unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
            initialized = result == 1 ? count : 0
        }
        if result == 1 { return bytes }
        _ = try step(after: result)
        return nil
    }

    /// Sends what libssl has written.
    private func flush(to socket: borrowing StreamSocket, until deadline: Duration) throws(RedisFailure) {
        while unsafe clibssl_pending(network) > 0 {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
                let result = unsafe BIO_read_ex(network, buffer.baseAddress, buffer.count, &count)
                initialized = result == 1 ? count : 0
            }
            guard !bytes.isEmpty else { throw Self.failed() }
            try bytes.withSpan { bytes throws(RedisFailure) in try socket.send(bytes, until: deadline) }
        }
    }

    /// Gives libssl what has arrived; `false` if nothing did by the deadline.
    private func fill(from socket: borrowing StreamSocket, until deadline: Duration) throws(RedisFailure) -> Bool {
        try socket.receive(until: deadline) { bytes throws(RedisFailure) in
            var count = 0
            let result = unsafe bytes.withUnsafeBufferPointer {
                unsafe BIO_write_ex(network, $0.baseAddress, $0.count, &count)
            }
            // libssl has read everything before, so there is room for as much as a socket gives at once.
            guard result == 1, count == bytes.count else { throw Self.failed() }
        }
    }

    private static func failed() -> RedisFailure {
        .encryption(.broken(OpenSSLFailure("libssl").description))
    }
}
#endif
