#if CLI
import ArgumentParser
import EntitlementValues
import MediaTokens
import PlaybackSessions
import TextCodecs

extension EdgeOptions {
    /// Decides on the grant of a request, and shows the verdict.
    ///
    /// The request is its fault if it is not one. `files` are those of the keys, which `password` opens. Throws the
    /// exit code of the verdict, `CommandFailure` or `ValidationError`.
    func verify(
        _ request: Result<EdgeRequest, PlaybackSessionError>,
        keys files: [String],
        password: PasswordOptions,
        at now: Timestamp,
        output: OutputForm
    ) throws {
        let verdict: Result<VerifiedEdgeGrant, PlaybackSessionError>
        switch form.grants {
        case .legacyLink:
            let (links, path) = (try links(files), try requiredPath())
            verdict = request.flatMap { request in
                Result { () throws(PlaybackSessionError) in try links.verify(request, opening: path, at: now) }
            }
        case .edgeToken:
            let tokens = try tokens(files)
            verdict = request.flatMap { request in
                Result { () throws(PlaybackSessionError) in try tokens.verify(request, at: now) }
            }
        case .legacyPolicy, nil:
            let policies = try policies(files, password: password)
            verdict = request.flatMap { request in
                Result { () throws(PlaybackSessionError) in try policies.verify(request, at: now) }
            }
        }
        try Console.write(verdict.shown(as: output), endingWith: ExitCode(verdict.status.exitCode))
    }

    /// Shows what the grant of a request says.
    func inspect(_ request: Result<EdgeRequest, PlaybackSessionError>, output: OutputForm) throws {
        let parsed = request.flatMap { request in
            Result { () throws(PlaybackSessionError) in
                try UnverifiedEdgeGrant(
                    parsing: request, as: form.grants ?? .edgeToken, mount: mount, tokenNamed: tokenName)
            }
        }
        switch parsed {
        case .success(let grant): try Console.write(grant.shown(as: output))
        case .failure(let error):
            try Console.write(error.shown(as: output), endingWith: ExitCode(error.status.exitCode))
        }
    }
}

extension Result where Success == VerifiedEdgeGrant, Failure == PlaybackSessionError {
    /// The status that says the same of a media token.
    fileprivate var status: MediaTokenStatus {
        switch self {
        case .success: .validToken
        case .failure(let error): error.status
        }
    }

    fileprivate func shown(as form: OutputForm) -> [UInt8] {
        var object = JSONWriter()
        switch (self, form) {
        case (.success(let verified), .text):
            let grant = verified.grant
            let lines = [
                ("opens", grant.path.text), ("expires", grant.expires.description), ("client", "\(grant.client)"),
                ("signed by", "key \(verified.keyID)"),
            ]
            return Array(("VALID_SESSION  the grant is good\n" + aligned(lines)).utf8)
        case (.failure(let error), .text): return Array("REFUSED  \(error) [\(error.code)]\n".utf8)
        case (.success(let verified), .json):
            object.member("valid", true)
            object.member("code", "valid")
            object.member("path", verified.grant.path.text)
            object.member("expires", verified.grant.expires.milliseconds)
            if let session = verified.grant.session { object.member("id", session.description) }
            object.member("keyID", verified.keyID)
        case (.failure(let error), .json):
            object.member("valid", false)
            object.member("code", error.code)
            object.member("detail", error.description)
        }
        return object.finished + [UInt8(ascii: "\n")]
    }
}

extension UnverifiedEdgeGrant {
    fileprivate func shown(as output: OutputForm) -> [UInt8] {
        guard output == .json else {
            let lines = [
                ("form", form.rawValue), ("expires", expires.description), ("opens", opens ?? "not said"),
                ("client", address ?? "not said"), ("session", session?.description ?? "not said"),
                ("key", keyID ?? "not said"),
            ]
            return Array(
                ("UNVERIFIED  a grant, parsed without a key; anyone can write such a text\n"
                    + aligned(lines.map { ($0, $1.printable) })).utf8)
        }
        var object = JSONWriter()
        object.member("verified", false)
        object.member("type", form.rawValue)
        object.member("expires", expires.milliseconds)
        if let opens { object.member("opens", opens) }
        if let address { object.member("client", address) }
        if let session { object.member("id", session.description) }
        if let keyID { object.member("keyID", keyID) }
        return object.finished + [UInt8(ascii: "\n")]
    }
}
#endif
