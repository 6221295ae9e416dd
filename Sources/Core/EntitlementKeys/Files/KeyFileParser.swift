import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// Reads the keys and certificates of one file in PEM or DER.
struct KeyFileParser {
    let file: String
    let unlocker: Unlocker
    let takesPrivateKeys: Bool

    /// Reads all blocks of a PEM file.
    func items(inPEM text: Span<UInt8>) throws(KeyError) -> [KeyItem] {
        let blocks: [PEMBlock]
        do throws(OpenSSLFailure) {
            blocks = try pemBlocks(in: text)
        } catch {
            throw unreadable("a damaged PEM block (cut off, or not Base64 between BEGIN and END)", text)
        }
        var items: [KeyItem] = []
        for block in blocks { items += try self.items(inBlock: block) }
        guard items.isEmpty else { return items }
        let labels = blocks.map(\.label).filter { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
        guard !labels.isEmpty else {
            throw unreadable("a damaged PEM block (no complete BEGIN line)", text)
        }
        throw .noKey(file: file, reason: "holds no key or certificate, only \(labels.joined(separator: ", "))")
    }

    /// Says what happened to the lines of a PEM file in which no block is found, if that shows.
    private func unreadable(_ reason: String, _ text: Span<UInt8>) -> KeyError {
        let cure: String? =
            if text.position(of: #"-----\n"#) != nil || text.position(of: #"-----\r\n"#) != nil {
                #"its line ends are the characters \n, as in JSON or a variable; write them out: printf %b "$KEY" > FILE"#
            } else if text.firstIndex(of: UInt8(ascii: "\n"), in: text.trimmingWhiteSpace(0..<text.count)) == nil,
                text.position(of: "----- ") != nil
            {
                #"its lines are joined, as by a shell without quotation marks; write printf %s "$KEY" > FILE"#
            } else {
                nil
            }
        return .unreadable(file: file, reason: cure.map { "\(reason): \($0)" } ?? reason)
    }

    private func items(inBlock block: PEMBlock) throws(KeyError) -> [KeyItem] {
        switch block.label {
        case "ENCRYPTED PRIVATE KEY":
            let item = try block.content.withSpan { bytes throws(KeyError) in
                try encryptedPKCS8(bytes, encoding: "PEM")
            }
            guard let item else { throw .damaged(block, file) }
            return [item]
        case "PKCS7", "PKCS #7 SIGNED DATA", "CMS":
            let items = try block.content.withSpan { bytes throws(KeyError) in try pkcs7(bytes, encoding: "PEM") }
            guard let items else { throw .damaged(block, file) }
            return items
        case "OPENSSH PRIVATE KEY":
            throw .unsupported(
                file: file, found: "a private key in OpenSSH's own format",
                advice: "convert a copy: ssh-keygen -p -m PEM -f COPY")
        default:
            break
        }
        guard let format = KeyFormat(label: block.label) else { return [] }
        if block.isEncrypted { return [try encryptedItem(block, of: format)] }
        let content = block.content.withSpan { try? format.read($0) }
        guard let content else { throw .damaged(block, file) }
        return [KeyItem(content: content, format: "PEM, \(format.name)")]
    }

    private func encryptedItem(_ block: PEMBlock, of format: KeyFormat) throws(KeyError) -> KeyItem {
        guard format.isPrivate, let encryption = block.encryption else {
            throw .unreadable(file: file, reason: "encrypted PEM without a whole DEK-Info line")
        }
        let name = "PEM, \(format.name) (\(encryption.cipher))"
        guard takesPrivateKeys, unlocker.password != nil else {
            return KeyItem(content: .lockedPrivateKey, format: name)
        }
        let opened: WipedBytes
        do throws(UnlockFailure) {
            opened = try block.content.withSpan { bytes throws(UnlockFailure) in
                try encryption.decrypt(bytes, by: unlocker)
            }
        } catch {
            throw KeyError(error, file: file, format: name)
        }
        let content = opened.withSpan { try? format.read($0) }
        // One wrong password in 256 decrypts to bytes, which are then not a key.
        guard let content else { throw .badPassword(file: file, format: name) }
        return KeyItem(content: content, format: name)
    }

    /// Reads one structure in DER, of any known format.
    func items(inDER bytes: Span<UInt8>) throws(KeyError) -> [KeyItem] {
        // Without a PEM label, the trust settings after a certificate cannot be told from other bytes.
        for format in KeyFormat.allCases where format != .trustedCertificate {
            guard let content = try? format.read(bytes) else { continue }
            return [KeyItem(content: content, format: "DER, \(format.name)")]
        }
        if let item = try encryptedPKCS8(bytes, encoding: "DER") { return [item] }
        if let items = try pkcs12(bytes) { return items }
        if let items = try pkcs7(bytes, encoding: "DER") { return items }
        throw .unreadable(
            file: file,
            reason: """
                neither PEM (-----BEGIN …) nor DER of a certificate, a key, PKCS#12 or PKCS#7, nor a Java key store, \
                or damaged
                """
        )
    }

    private func encryptedPKCS8(_ bytes: Span<UInt8>, encoding: String) throws(KeyError) -> KeyItem? {
        guard let encrypted = try? EncryptedPKCS8(der: bytes) else { return nil }
        var format = "\(encoding), PKCS#8 private key"
        // The key is not asked for, so an unknown encryption does not matter.
        if !takesPrivateKeys { return KeyItem(content: .lockedPrivateKey, format: format) }
        do throws(UnlockFailure) {
            format += " (\(try encrypted.scheme.name))"
            guard unlocker.password != nil else {
                return KeyItem(content: .lockedPrivateKey, format: format)
            }
            let opened = try encrypted.decrypted(by: unlocker)
            let content = opened.withSpan { try? KeyFormat.pkcs8PrivateKey.read($0) }
            guard let content else { throw UnlockFailure.badPassword }
            return KeyItem(content: content, format: format)
        } catch {
            throw KeyError(error, file: file, format: format)
        }
    }

    private func pkcs7(_ bytes: Span<UInt8>, encoding: String) throws(KeyError) -> [KeyItem]? {
        guard let certificates = try? pkcs7Certificates(der: bytes) else { return nil }
        var items: [KeyItem] = []
        for certificate in certificates {
            guard let content = certificate.withSpan({ try? KeyFormat.certificate.read($0) }) else { return nil }
            items.append(KeyItem(content: content, format: "PKCS#7, \(encoding)"))
        }
        return items
    }

    private func pkcs12(_ bytes: Span<UInt8>) throws(KeyError) -> [KeyItem]? {
        guard let container = try? PKCS12File(der: bytes) else { return nil }
        let held: PKCS12Content
        do throws(UnlockFailure) {
            held = try container.content(by: unlocker, takingPrivateKeys: takesPrivateKeys)
        } catch {
            throw KeyError(error, file: file, format: "PKCS#12")
        }
        let format = held.schemes.isEmpty ? "PKCS#12" : "PKCS#12 (\(held.schemes.joined(separator: "; ")))"
        var items: [KeyItem] = []
        for entry in held.entries {
            let content: KeyItem.Content?
            switch entry.content {
            case .certificate(let der): content = der.withSpan { try? KeyFormat.certificate.read($0) }
            case .privateKey(let der): content = der.withSpan { try? KeyFormat.pkcs8PrivateKey.read($0) }
            case .lockedPrivateKey: content = .lockedPrivateKey
            }
            guard let content else { throw .unreadable(file: file, reason: "PKCS#12 with a damaged entry") }
            items.append(KeyItem(content: content, format: format, alias: entry.alias))
        }
        return items
    }
}

extension KeyError {
    fileprivate static func damaged(_ block: PEMBlock, _ file: String) -> KeyError {
        .unreadable(
            file: file, reason: "the content of the block BEGIN \(block.label) is damaged or has another format")
    }

    /// Translates what the bridge says about an encrypted key or container.
    init(_ failure: UnlockFailure, file: String, format: String) {
        switch failure {
        case .passwordRequired:
            self = .passwordRequired(file: file, format: format)
        case .badPassword:
            self = .badPassword(file: file, format: format)
        case .noLegacyProvider(let provider):
            self = .needsLegacyProvider(file: file, format: format, provider: provider)
        case .tooMuchWork(let what):
            self = .unreadable(file: file, reason: "\(format), which \(what), far more than usual tools write")
        case .unsupported(let algorithm):
            self = .unsupported(
                file: file, found: "\(format), encrypted with \(algorithm)",
                advice:
                    "this OpenSSL does not support it; encrypt the key again with AES, with the tool that made the file"
            )
        case .unsupportedIntegrityCode(let algorithm):
            self = .unsupported(
                file: file, found: "\(format), whose integrity code (MAC) is \(algorithm)",
                advice:
                    "this OpenSSL cannot check it (PBMAC1 needs 3.4), so export the file again with a MAC of SHA-256, "
                    + "where a newer one is installed: openssl pkcs12 -in FILE -out PEM and openssl pkcs12 -export -in PEM "
                    + "-out NEW; this one can if you know where FILE comes from: openssl pkcs12 -nomacver -in FILE -out PEM"
            )
        case .damaged:
            self = .unreadable(file: file, reason: "\(format), damaged")
        case .noIntegrityCode:
            self = .unsupported(
                file: file, found: "\(format) without an integrity code (MAC)",
                advice: "export it again with one; if you know where it comes from: openssl pkcs12 -nomacver -in FILE")
        case .failed(let failure):
            self = .unreadable(file: file, reason: "\(format): \(failure)")
        }
    }
}
