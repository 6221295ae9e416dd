#if Client
import Testing

/// The header fields of each endpoint, written down from the broker's reference a second time.
///
/// R: nothing is sent without it; o: sent if known; –: never sent. Three cells differ from the HTML tables: X-Forwarded-For
/// on registration, which is throttled by it; AP-TempPass-Identity on preauthorize, which the OpenAPI file has; and
/// AP-Partner-Framework-Status on partner calls, which the questions and answers ask for in each.
struct HeaderTable {
    static let text = """
        | Endpoint                 | Authorization | AP-Device-Identifier | X-Device-Info | X-Forwarded-For | Adobe-Subject-Token | AD-Service-Token | AP-Partner-Framework-Status | AP-TempPass-Identity | AP-Visitor-Identifier |
        |---|---|---|---|---|---|---|---|---|---|
        | register                 | – | – | R | o | – | – | – | – | – |
        | token                    | – | – | R | o | – | – | – | – | – |
        | configuration            | R | o | o | o | – | – | – | – | – |
        | start_session            | R | R | R | o | o | o | – | – | o |
        | resume_session           | R | – | – | o | – | – | – | – | o |
        | session                  | R | – | – | o | – | – | – | – | o |
        | user_agent               | – | – | – | – | – | – | – | – | – |
        | profiles                 | R | R | R | o | o | o | o | – | o |
        | profile                  | R | R | R | o | o | o | o | o | o |
        | profile_by_code          | R | – | – | o | – | – | – | o | o |
        | authorize                | R | R | R | o | o | o | o | o | o |
        | preauthorize             | R | R | R | o | o | o | o | o | o |
        | logout                   | R | R | R | o | o | o | – | – | o |
        | start_partner_session    | R | R | R | o | – | – | R | – | o |
        | create_partner_profile   | R | R | R | o | – | – | R | – | o |
        | reset_temporary_access   | R | – | – | – | – | – | – | – | – |
        | reset_promotional_access | R | – | – | – | – | – | – | – | – |
        """

    /// What a cell says.
    enum Need: String {
        case required = "R"
        case optional = "o"
        case never = "–"
    }

    /// One row: the needs by header field, in lower case.
    struct Row: Sendable, CustomTestStringConvertible {
        let endpoint: String
        let needs: [String: Need]

        var testDescription: String { endpoint }

        func fields(_ needed: Need...) -> Set<String> {
            Set(needs.filter { needed.contains($0.value) }.keys)
        }
    }

    static let cells = text.split(separator: "\n").map { line in
        line.split(separator: "|").map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    static let fields = cells[0].dropFirst().map { $0.lowercased() }

    static let rows = cells.dropFirst(2).map { cells in
        Row(
            endpoint: cells[0],
            needs: Dictionary(
                uniqueKeysWithValues: zip(fields, cells.dropFirst().map { Need(rawValue: $0) ?? .never })))
    }
}
#endif
