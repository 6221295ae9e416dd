#if Service
import HostSystem

/// What the settings still admit, read apart from the rest of them, in which something may be wrong.
///
/// A member that is not known admits everything that it admitted before.
package struct Admission: Sendable {
    /// The fingerprints of issuers' keys that are never trusted; those that are well-formed.
    var revoked: Set<String> = []
    /// The files of issuers' keys, none if there are to be none; `nil` if they are not known.
    package internal(set) var issuerFiles: [String]?
    /// The file with the password of issuers' keys, none if there is to be none; `nil` if it is not known.
    var passwordFiles: [String]?
    /// The files of session keys, none if there are to be no sessions; `nil` if they are not known.
    var sessionFiles: [String]?
    /// The file with the secret of requests to decrypt, none if there is to be none; `nil` if it is not known.
    var secretFiles: [String]?
    /// Whether the published test keys are admitted.
    var admitsTestKeys = true
    /// Whether signatures with SHA-1 are admitted.
    var admitsSHA1 = true

    /// The current states of the files that it names.
    var stamps: [FileStamp] {
        let files = [issuerFiles, passwordFiles, sessionFiles, secretFiles].compactMap(\.self).flatMap { $0 }
        return ActiveConfiguration.stamps(of: files)
    }

    /// The same, as if it were not known which files it names.
    var withoutFiles: Admission {
        var rest = self
        (rest.issuerFiles, rest.passwordFiles, rest.sessionFiles, rest.secretFiles) = (nil, nil, nil, nil)
        return rest
    }
}
#endif
