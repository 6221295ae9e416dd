#if CLI
import ArgumentParser
import EntitlementValues
import PlaybackSessions
import TextCodecs

extension EdgeOptions {
    /// Issues a grant, and shows it.
    ///
    /// `file` is that of the key, which `password` opens. Throws `CommandFailure` or `ValidationError`.
    func issue(_ grant: EdgeGrant, key file: String, password: PasswordOptions, output: OutputForm) throws {
        let issued: IssuedEdgeGrant
        switch form.grants {
        case .legacyLink:
            let links = try links([file])
            issued = try links.issue(grant)
        case .edgeToken:
            let tokens = try tokens([file])
            issued = try tokens.issue(grant)
        case .legacyPolicy, nil:
            let policies = try policies([file], password: password)
            issued = try policies.issue(grant)
        }
        guard output == .json else { return try Console.write("\(address(of: issued))\n") }
        var object = JSONWriter()
        object.member("form", form.rawValue)
        object.member("path", grant.path.text)
        object.member("expires", grant.expires.milliseconds)
        object.member("query", issued.parameters.query)
        if let prefix = issued.pathPrefix { object.member("pathPrefix", prefix) }
        if !issued.cookies.isEmpty {
            object.member("cookies", issued.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        try Console.write(object)
    }

    /// The address that a client asks for: of a folder, the folder itself.
    private func address(of issued: IssuedEdgeGrant) -> String {
        let path = issued.grant.path.text
        if let prefix = issued.pathPrefix { return prefix + path }
        return "\(origin ?? "")\(path)?\(issued.parameters.query)"
    }
}
#endif
