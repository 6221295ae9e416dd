#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import TextCodecs

struct KeysInspect: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in key files: format, size, fingerprint, dates, and what is wrong.",
        discussion: """
            Examples:
              tve keys inspect issuer.pem
              tve keys inspect keys/ --output json
              tve keys inspect store.jks --password-file secret.txt

            The fingerprint is the SHA-256 of the SubjectPublicKeyInfo, the same for a key and its certificate. Dates \
            are shown but have no effect. Keys below 2048 bits can only verify. A certificate of an authority is marked: \
            verify and convert leave it out beside the certificate of a signer.

            Exit codes: 0 every key can be used; 64 usage; 66 no such file; 78 a file could not be read, or holds a \
            key that cannot be used (the others are still listed).
            """
    )

    @Argument(help: "Files or folders.", completion: .file())
    var paths: [String]

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        let opener = try password.read()
        let now = Timestamp.now
        var exitCode = ExitCode.success
        var texts: [String] = []
        var objects: [JSONWriter] = []
        for file in paths.flatMap({ files(at: $0) }) {
            let found = file.flatMap { file in
                Result { () throws(KeyError) in try opener.inventory(file, needsPrivateKeys: false) }
            }
            switch found {
            case .success(let inventory):
                texts.append(inventory.text(at: now))
                objects.append(inventory.object(at: now))
                if inventory.entries.contains(where: { $0.problem != nil }) { exitCode = .badConfiguration }
            case .failure(let error):
                texts.append("\(error.file.printable)\n" + aligned([("problem", "\(error) [\(error.code)]")]))
                objects.append(error.fileObject)
                if case .noSuchFile = error {
                    if exitCode == .success { exitCode = .noInput }
                } else {
                    exitCode = .badConfiguration
                }
            }
        }
        try Console.show(texts.joined(separator: "\n"), in: output) { object in
            object.member("usable", exitCode == .success)
            object.member("files", objects)
        }
        if exitCode != .success { throw exitCode }
    }

    private func files(at path: String) -> [Result<String, KeyError>] {
        do throws(KeyError) {
            return try KeyInventory.files(at: path).map { .success($0) }
        } catch {
            return [.failure(error)]
        }
    }
}

extension KeyInventory {
    fileprivate func text(at now: Timestamp) -> String {
        "\(source.printable)\n" + entries.map { aligned($0.lines(at: now)) }.joined(separator: "\n")
    }

    fileprivate func object(at now: Timestamp) -> JSONWriter {
        var object = JSONWriter()
        object.member("file", source)
        object.member("entries", entries.map { $0.object(at: now) })
        return object
    }
}

extension KeyInventory.Entry {
    /// Kind, algorithm and size in a few words.
    var summary: String {
        guard let algorithm, let bits else { return kind.rawValue }
        return "\(kind.rawValue), \(algorithm) \(bits)"
    }

    fileprivate func lines(at now: Timestamp) -> [(name: String, value: String)] {
        var lines = [("entry", label), ("kind", kind.rawValue), ("format", format)]
        if isAuthority { lines.append(("authority", "yes (CA); left out beside the certificate of a signer")) }
        if let alias { lines.append(("alias", alias)) }
        if let subject { lines.append(("subject", subject)) }
        if let issuer, issuer != subject { lines.append(("issuer", issuer)) }
        if let algorithm, let bits {
            lines.append(("key", "\(algorithm), \(bits) bits\(isWeak ? " — weak: below 2048 bits" : "")"))
        }
        if let exponent { lines.append(("exponent", "\(exponent)")) }
        if let fingerprint { lines.append(("fingerprint", fingerprint)) }
        if let validity {
            var dates = "\(validity.lowerBound) to \(validity.upperBound)"
            if isExpired(at: now) { dates += " — expired" }
            if isNotYetValid(at: now) { dates += " — not yet valid" }
            lines.append(("valid", dates))
        }
        if kind == .encryptedPrivateKey, problem == nil {
            lines.append(("note", "encrypted; give its password to see more (--password-file FILE)"))
        }
        if let problem { lines.append(("problem", "\(problem) [\(problem.code)]")) }
        return lines
    }

    fileprivate func object(at now: Timestamp) -> JSONWriter {
        var object = JSONWriter()
        object.member("label", label)
        object.member("kind", kind.rawValue)
        object.member("format", format)
        if kind == .certificate { object.member("authority", isAuthority) }
        if let alias { object.member("alias", alias) }
        if let subject { object.member("subject", subject) }
        if let issuer { object.member("issuer", issuer) }
        if let algorithm { object.member("algorithm", algorithm) }
        if let bits {
            object.member("bits", bits)
            object.member("weak", isWeak)
        }
        if let exponent { object.member("exponent", exponent) }
        if let fingerprint { object.member("fingerprint", fingerprint) }
        if let validity {
            object.member("notBefore", validity.lowerBound.milliseconds)
            object.member("notAfter", validity.upperBound.milliseconds)
            object.member("expired", isExpired(at: now))
            object.member("notYetValid", isNotYetValid(at: now))
        }
        if let problem { object.member("problem", problem.object) }
        return object
    }
}

extension KeyError {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("code", code)
        object.member("detail", description)
        return object
    }

    fileprivate var fileObject: JSONWriter {
        var object = JSONWriter()
        object.member("file", file)
        object.member("error", self.object)
        return object
    }
}
#endif
