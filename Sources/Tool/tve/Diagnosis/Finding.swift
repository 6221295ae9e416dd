#if CLI
import TextCodecs

/// The result of one check.
struct Finding {
    /// How bad it is.
    enum Severity: String {
        case ok, warning, problem
    }

    let severity: Severity
    /// A stable name of what was checked.
    let check: String
    /// The file that it is about, if any.
    var file: String?
    let detail: String
    /// What to do.
    var advice: String?

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("severity", severity.rawValue)
        object.member("check", check)
        if let file { object.member("file", file) }
        object.member("detail", detail)
        if let advice { object.member("advice", advice) }
        return object
    }

    var line: String {
        let name = severity.rawValue.padded(to: 9) + check.padded(to: 13)
        return name + (advice.map { "\(detail); \($0)" } ?? detail).printable + "\n"
    }
}
#endif
