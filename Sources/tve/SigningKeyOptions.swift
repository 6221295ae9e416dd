#if CLI
    import ArgumentParser
    import EntitlementKeys
    import OpenSSLBridge

    /// The private key that a command signs with.
    struct SigningKeyOptions: ParsableArguments {
        @Option(
            name: .long, help: "Your private key: a file with one, PEM, DER or PKCS#12, encrypted or not.",
            completion: .file())
        var key: String?

        @Option(
            name: .long, help: "A file with the key's password (default: ask at the terminal where one is needed).",
            completion: .file())
        var passwordFile: String?

        @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
        var allowWeakKeys = false

        /// Refuses a command line without a key; not in `validate`, since some commands list things without one.
        func requireKey() throws {
            guard key != nil else { throw ValidationError("Give --key FILE.") }
        }

        func read(_ form: OutputForm) throws -> SigningKey {
            let file = key ?? ""
            // A name that leads nowhere is not shown: the password itself may stand there.
            if let passwordFile, !Files.exists(passwordFile) {
                throw Console.fail(
                    "unreadable_key", file: nil,
                    "--password-file: there is no such file (its name is not shown, in "
                        + "case it is the password; that goes into a file)", form, .noInput)
            }
            do throws(KeyError) {
                return try read(file)
            } catch {
                let exitCode: ExitCode = if case .noSuchFile = error { .noInput } else { .badConfiguration }
                var detail = error.description
                switch error {
                case .tooSmall(_, let bits, _) where bits >= 1024: detail += "; --allow-weak-keys admits it"
                case .passwordRequired: detail += " with --password-file FILE"
                default: break
                }
                throw Console.fail(error.code, file: error.file, detail, form, exitCode)
            }
        }

        private func read(_ file: String) throws(KeyError) -> SigningKey {
            if let passwordFile {
                return try SigningKey(
                    contentsOfFile: file, password: try KeyPassword(contentsOfFile: passwordFile),
                    allowingWeakKeys: allowWeakKeys)
            }
            do throws(KeyError) {
                return try SigningKey(contentsOfFile: file, allowingWeakKeys: allowWeakKeys)
            } catch {
                // Where nobody would see what is asked for, a script must end and not wait.
                guard case .passwordRequired = error, StandardStreams.errorIsTerminal,
                    let password = try KeyPassword.prompted("Password of \(file): ")
                else { throw error }
                return try SigningKey(contentsOfFile: file, password: password, allowingWeakKeys: allowWeakKeys)
            }
        }
    }
#endif
