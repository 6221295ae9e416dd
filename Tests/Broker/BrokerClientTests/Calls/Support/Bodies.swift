#if Client
/// Bodies of the broker's answers, one of each shape.
enum Bodies {
    static let credentials = """
        {"client_id": "client-1", "client_secret": "\(Secrets.clientSecret)", "client_id_issued_at": 1768480200,
         "redirect_uris": [], "grant_types": ["client_credentials"], "scopes": ["api:client:v2"]}
        """

    static let token = """
        {"id": "token-1", "access_token": "\(Secrets.accessToken)", "created_at": 1768480200000, "expires_in": 21600,
         "token_type": "bearer"}
        """

    static let configuration = """
        {"requestor": {"id": "REF30", "name": "Reference", "domains": [{"name": "example.org", "mvpdInitiated": false}],
         "mvpds": [{"id": "TestMVPD", "displayName": "Test", "logoUrl": "https://example.org/logo.png"}]}}
        """

    static let session = """
        {"actionName": "authenticate", "actionType": "interactive", "reasonType": "none", "sessionId": "session-1",
         "url": "/api/v2/authenticate/REF30/ABC123", "code": "ABC123", "mvpd": "TestMVPD", "serviceProvider": "REF30",
         "notBefore": "1768480200000", "notAfter": "1768482000000"}
        """

    static let partnerSession = """
        {"actionName": "partner_profile", "actionType": "direct", "reasonType": "none", "sessionId": "session-1",
         "url": "/api/v2/REF30/profiles/sso/Apple", "mvpd": "TestMVPD", "serviceProvider": "REF30",
         "authenticationRequest": {"type": "saml", "request": "PGFzaz5wYXJ0bmVyPC9hc2s+",
         "attributesNames": ["attribute-of-partner"]},
         "notBefore": "1768480200000", "notAfter": "1768482000000"}
        """

    static let sessionStatus = """
        {"existingParameters": {"mvpd": "TestMVPD", "domain": "example.org", "serviceProvider": "REF30"},
         "missingParameters": ["redirectUrl"], "notBefore": "1768480200000", "notAfter": "1768482000000",
         "device": {"type": "Television", "connection": {"ipAddress": "192.0.2.7", "port": "55161"}}}
        """

    static let profiles = """
        {"profiles": {"TestMVPD": {"notBefore": 1768480200000, "notAfter": 1771072200000, "issuer": "TestMVPD",
         "type": "regular", "attributes": {"userID": {"value": "attribute-value", "state": "plain"},
         "zip": {"value": 19104, "state": "plain"},
         "list": {"value": ["attribute-value", 19104], "state": "plain"}, "type": "bare-attribute",
         "address": {"value": {"state": "state-of-address", "type": "type-of-address", "code": "A_B", "status": 770077,
         "list": [{"type": "type-of-address"}], "member-of-value": {"mvpd": "state-of-address"}}, "state": "plain"}}}}}
        """

    /// What nothing may show of the profiles: the values of attributes, and the names in them.
    static let profileSecrets = [
        "attribute-value", "19104", "state-of-address", "type-of-address", "A_B", "770077", "member-of-value",
        "bare-attribute",
    ]

    static let noProfiles = #"{"profiles": {}}"#

    static let logout = """
        {"logouts": {"TestMVPD": {"actionName": "logout", "actionType": "interactive", "mvpd": "TestMVPD",
         "url": "/api/v2/logout/TestMVPD?state=1"}}}
        """

    /// A decision for each resource: its text, and the member `error` or that there is none.
    static func decisions(
        _ items: [(resource: String, error: String?)],
        source: String = "mvpd",
        mvpd: String = "TestMVPD",
        requestor: String = "REF30",
        mediaToken: String? = nil
    ) -> String {
        let token = mediaToken.map {
            #", "token": {"notBefore": 1768480200000, "notAfter": 1768484800000, "serializedToken": "\#($0)"}"#
        }
        let items = items.map { resource, error in
            #"{"resource": "\#(resource)", "serviceProvider": "\#(requestor)", "mvpd": "\#(mvpd)", "#
                + #""source": "\#(source)", "#
                + (error.map { #""authorized": false, "error": \#($0)}"# }
                    ?? #""authorized": true, "notBefore": 1768480200000, "notAfter": 1768484800000\#(token ?? "")}"#)
        }
        return #"{"decisions": [\#(items.joined(separator: ", "))]}"#
    }

    static func error(_ code: String, status: Int, action: String = "none") -> String {
        #"{"status": \#(status), "code": "\#(code)", "message": "A text.", "action": "\#(action)", "trace": "trace-1"}"#
    }
}

/// Texts that must never stand in a URL, a log or an error.
enum Secrets {
    static let clientSecret = "client-secret-5f2c"
    static let accessToken = "access-token-8a1d"
    static let deviceIdentifier = "device-identifier-77b0"
    static let identity = "user@example.org"
    static let saml = "<saml>partner-answer-91ce</saml>"
    static let platformToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGF0Zm9ybSJ9.cGxhdGZvcm0tdG9rZW4"
    static let serviceToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzZXJ2aWNlIn0.c2VydmljZS10b2tlbg"
    static let statement =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJpc3N1ZXIiLCJzdWIiOiJhcHAiLCJzY29wZXMiOiJhcGk6Y2xpZW50OnYyIn0.c3RhdGVtZW50"
    static let visitor = "12345678901234567890123456789012345678"
}
#endif
