#if CLI
import EntitlementValues
import MediaRSS
import MediaTokens
import ServiceResponses
import TextCodecs
import TokenLifetimes

extension EdgeRow {
    /// Bodies and tokens of a service, and resources.
    static let responses: [EdgeRow] = [
        EdgeRow(
            "EntitlementTokenError.tooLarge", EntitlementTokenError.tooLarge(limit: 9), ends: 10, "too_large", at: "-",
            "the text is longer than 9 bytes; AuthN and AuthZ tokens have about 2000"),
        EdgeRow(
            "EntitlementTokenError.malformed", EntitlementTokenError.malformed(.notAToken), ends: 10, "malformed",
            at: "-", "neither an AuthN or AuthZ token nor Base64 of one; pass the whole text"),
        EdgeRow(
            "EntitlementTokenError.foreignToken", EntitlementTokenError.foreignToken(.mediaToken), ends: 10,
            "foreign_token", at: "-",
            "a media token with a good signature; it is used once and cannot be recorded in a ledger"),
        EdgeRow(
            "EntitlementTokenError.badSignature",
            EntitlementTokenError.badSignature(bits: 2048, isSizeOfTrustedKey: true), ends: 11, "bad_signature",
            at: "-", "no trusted key signed this token: it was changed, or another key of 2048 bits signed it"),
        EdgeRow(
            "EntitlementTokenError.undecided", EntitlementTokenError.undecided(.noKeys), ends: 69, "no_keys", at: "-",
            "there are no keys to verify with"),
        EdgeRow(
            "ServiceResponseError.tooLarge", ServiceResponseError.tooLarge(limit: 9), ends: 10, "too_large", at: "-",
            "the body is longer than 9 bytes; is it a response of the service?"),
        EdgeRow(
            "ServiceResponseError.notJSON", ServiceResponseError.notJSON(reason: "unexpected end"), ends: 10,
            "not_json", at: "-",
            """
            the body is not JSON: unexpected end; ask the service for application/json, and pass the \
            body on unchanged
            """),
        EdgeRow(
            "ServiceResponseError.duplicateMember", ServiceResponseError.duplicateMember(.root), ends: 10,
            "duplicate_member", at: "-", "$ has two members of one name, so its content is ambiguous"),
        EdgeRow(
            "ServiceResponseError.tooDeep", ServiceResponseError.tooDeep, ends: 10, "too_deep", at: "-",
            "the body is nested deeper than 64 levels; is it a response of the service?"),
        EdgeRow(
            "ServiceResponseError.tooMany", ServiceResponseError.tooMany(.root, limit: 9), ends: 10, "too_many",
            at: "-", "the body has more than 9 values; is it a response of the service?"),
        EdgeRow(
            "ServiceResponseError.refused", ServiceResponseError.refused(EnhancedError(code: .tooManyResources)),
            ends: 10, "service_error", at: "-", "the service answered with an error: too_many_resources"),
        EdgeRow(
            "ServiceResponseError.missing", ServiceResponseError.missing(.root), ends: 10, "missing_member", at: "-",
            "$ is missing; is this the response that was asked for?"),
        EdgeRow(
            "ServiceResponseError.wrongType", ServiceResponseError.wrongType(.root, expected: .object), ends: 10,
            "wrong_type", at: "-", "$ is not an object"),
        EdgeRow(
            "ServiceResponseError.badTimestamp", ServiceResponseError.badTimestamp(.root, .notANumber), ends: 10,
            "bad_timestamp", at: "-", "$ is not a time: it must be a whole number, or a string of digits"),
        EdgeRow(
            "ServiceResponseError.otherThanAsked", ServiceResponseError.otherThanAsked(.root), ends: 10,
            "other_than_asked", at: "-",
            "$ is about another brand or provider than was asked; is it the answer to this question?"),
        EdgeRow(
            "ResponseRecordingError.incomplete", ResponseRecordingError.incomplete(.missing(.root)), file: "ttl.sqlite",
            ends: 10, "missing_member", at: "-", "$ is missing; is this the response that was asked for?"),
        EdgeRow(
            "ResponseRecordingError.ledger", ResponseRecordingError.ledger(.full(capacity: 9)), file: "ttl.sqlite",
            ends: 78, "full", at: "ttl.sqlite",
            "the ledger is full with 9 entitlements; sweep what has expired, or give it a larger capacity"),
        EdgeRow(
            "LedgerError.emptyIdentifier", LedgerError.emptyIdentifier("MVPD"), file: "ttl.sqlite", ends: 78,
            "empty_identifier", at: "ttl.sqlite", "the MVPD is empty; pass the value that the server named"),
        EdgeRow(
            "LedgerError.full", LedgerError.full(capacity: 9), file: "ttl.sqlite", ends: 78, "full", at: "ttl.sqlite",
            "the ledger is full with 9 entitlements; sweep what has expired, or give it a larger capacity"),
        EdgeRow(
            "LedgerError.policy", LedgerError.policy("the margin is negative"), file: "ttl.sqlite", ends: 78,
            "bad_policy", at: "ttl.sqlite", "the margin is negative"),
        EdgeRow(
            "LedgerError.snapshot", LedgerError.snapshot(.edited), file: "ttl.sqlite", ends: 78, "snapshot_edited",
            at: "ttl.sqlite", "the snapshot was changed after it was written; make a new one and ask the service again"),
        EdgeRow(
            "MediaRSSError.tooLarge", MediaRSSError.tooLarge(bytes: 9, limit: 8), option: "the first resource", ends: 2,
            "too_large", "the first resource: the resource has 9 bytes; an MRSS resource has at most 8"),
        EdgeRow(
            "MediaRSSError.doctypeRefused", MediaRSSError.doctypeRefused, option: "the first resource", ends: 2,
            "doctype_refused",
            """
            the first resource: the resource has a DOCTYPE or an entity declaration; remove it, since \
            MRSS does not need it
            """),
        EdgeRow(
            "MediaRSSError.notMediaRSS", MediaRSSError.notMediaRSS(.root), option: "the first resource", ends: 2,
            "not_media_rss", "the first resource: the resource is XML, but its root element is not rss"),
        EdgeRow(
            "MediaRSSError.ambiguous", MediaRSSError.ambiguous(.strayText), option: "the first resource", ends: 2,
            "ambiguous_media_rss",
            """
            the first resource: there is text between the elements, so two readers could understand the \
            MRSS resource differently
            """),
    ]
}
#endif
