#if CLI
import BrokerMessages
import TextCodecs

extension EdgeRow {
    /// What is sent to the broker.
    static let messages: [EdgeRow] = [
        EdgeRow(
            "BrokerHeaderError.empty", BrokerHeaderError.empty(header: "X-Device-Info"), option: "--device-info",
            file: "tv.json", ends: 78, "header_empty", at: "tv.json",
            """
            --device-info: the header X-Device-Info is empty; leave the header out if there is nothing \
            to send
            """),
        EdgeRow(
            "BrokerHeaderError.tooLong", BrokerHeaderError.tooLong(header: "X-Device-Info", limit: 9),
            option: "--device-info", file: "tv.json", ends: 78, "header_too_long", at: "tv.json",
            "--device-info: the header X-Device-Info is longer than 9 bytes"),
        EdgeRow(
            "BrokerHeaderError.unexpectedCharacter",
            BrokerHeaderError.unexpectedCharacter(header: "X-Device-Info", offset: 3), option: "--device-info",
            file: "tv.json", ends: 78, "header_unexpected_character", at: "tv.json",
            """
            --device-info: the header X-Device-Info has a control character, or one that the header \
            does not allow, at byte 3; remove it
            """),
        EdgeRow(
            "BrokerHeaderError.unexpectedForm",
            BrokerHeaderError.unexpectedForm(header: "X-Device-Info", expected: "an address"), option: "--device-info",
            file: "tv.json", ends: 78, "header_unexpected_form", at: "tv.json",
            "--device-info: the header X-Device-Info is not an address"),
        EdgeRow(
            "BrokerHeaderError.notBase64", BrokerHeaderError.notBase64(header: "X-Device-Info"),
            option: "--device-info", file: "tv.json", ends: 78, "header_not_base64", at: "tv.json",
            "--device-info: the header X-Device-Info is not Base64 (RFC 4648 §4) on one line"),
        EdgeRow(
            "BrokerHeaderError.notJSON", BrokerHeaderError.notJSON(header: "X-Device-Info", reason: "unexpected end"),
            option: "--device-info", file: "tv.json", ends: 78, "header_not_json", at: "tv.json",
            "--device-info: the header X-Device-Info does not decode to a JSON object: unexpected end"),
        EdgeRow(
            "BrokerHeaderError.badMember",
            BrokerHeaderError.badMember(header: "X-Device-Info", .root, reason: "too long"), option: "--device-info",
            file: "tv.json", ends: 78, "header_bad_member", at: "tv.json",
            "--device-info: the header X-Device-Info is not accepted: too long"),
        EdgeRow(
            "BrokerHeaderError.backend", BrokerHeaderError.backend(header: "X-Device-Info", reason: "no memory"),
            option: "--device-info", file: "tv.json", ends: 78, "header_backend", at: "tv.json",
            """
            --device-info: the header X-Device-Info could not be made, because libcrypto failed (no \
            memory); try again
            """),
        EdgeRow(
            "BrokerRequestError.tooLarge", BrokerRequestError.tooLarge(limit: 9), option: "--statement",
            file: "statement.jwt", ends: 78, "request_too_large", at: "statement.jwt",
            "--statement: the body is longer than 9 bytes"),
        EdgeRow(
            "BrokerRequestError.notJSON", BrokerRequestError.notJSON(reason: "unexpected end"), option: "--statement",
            file: "statement.jwt", ends: 78, "request_not_json", at: "statement.jwt",
            "--statement: the body is not a JSON object: unexpected end"),
        EdgeRow(
            "BrokerRequestError.notForm", BrokerRequestError.notForm(reason: "a name twice"), option: "--statement",
            file: "statement.jwt", ends: 78, "request_not_form", at: "statement.jwt",
            "--statement: the body is not a form (application/x-www-form-urlencoded): a name twice"),
        EdgeRow(
            "BrokerRequestError.missing", BrokerRequestError.missing(.root), option: "--statement",
            file: "statement.jwt", ends: 78, "request_missing_member", at: "statement.jwt",
            "--statement: $ is missing or empty"),
        EdgeRow(
            "BrokerRequestError.wrongType", BrokerRequestError.wrongType(.root, reason: "not an object"),
            option: "--statement", file: "statement.jwt", ends: 78, "request_wrong_type", at: "statement.jwt",
            "--statement: not an object"),
        EdgeRow(
            "BrokerRequestError.tooMany", BrokerRequestError.tooMany(.root, limit: 9), option: "--statement",
            file: "statement.jwt", ends: 78, "request_too_many", at: "statement.jwt",
            "--statement: $ has more than 9 elements"),
        EdgeRow(
            "BrokerRequestError.badStatement", BrokerRequestError.badStatement(.empty), option: "--statement",
            file: "statement.jwt", ends: 78, "bad_software_statement", at: "statement.jwt",
            "--statement: the software statement is empty"),
    ]
}
#endif
