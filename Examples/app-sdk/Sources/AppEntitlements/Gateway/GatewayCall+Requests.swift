// Each request of the gateway's contract (`Sources/Service/TVEService/openapi.yaml`), but for those of browsers.
extension GatewayCall {
    // MARK: The device

    static func register(_ app: String, _ device: DeviceDescription, lastProvider: String?, visitorID: String?) -> Self
    {
        GatewayCall(
            .post, "/v1/devices",
            [
                "app": .text(app), "deviceInfo": device.json, "lastProvider": lastProvider.map(JSONValue.text),
                "visitorId": visitorID.map(JSONValue.text),
            ])
    }

    static let renewToken = GatewayCall(.post, "/v1/devices/renew")

    /// Changes what the gateway tells the broker of the device.
    ///
    /// - Parameters:
    ///   - device: What the device says of itself; `nil` leaves it as it is.
    ///   - visitorID: The visitor's identifier for analytics; `nil` leaves it as it is.
    /// - Returns: The request.
    public static func change(device: DeviceDescription? = nil, visitorID: String? = nil) -> Self {
        GatewayCall(
            .patch, "/v1/devices", ["deviceInfo": device?.json, "visitorId": visitorID.map(JSONValue.text)])
    }

    /// Signs the device out, and erases what the gateway knows of it.
    public static let forgetDevice = GatewayCall(.delete, "/v1/devices")

    // MARK: Signing in

    /// The providers to choose from.
    public static let providers = GatewayCall(.get, "/v1/providers")

    /// Begins to sign the viewer in, or goes on with it.
    ///
    /// - Parameters:
    ///   - mvpd: The provider that the viewer has chosen.
    ///   - returnTo: Where the browser goes in the end, one of the app's list.
    ///   - secondScreen: Whether the viewer signs in on another screen, with a code.
    ///   - force: Whether the viewer has to sign in even if they are.
    ///   - identity: The e-mail address for promotional temporary access.
    /// - Returns: The request; its answer is a ``SignInStep``.
    public static func beginSignIn(
        mvpd: String? = nil,
        returnTo: String? = nil,
        secondScreen: Bool = false,
        force: Bool = false,
        identity: String? = nil
    ) -> Self {
        GatewayCall(
            .post, "/v1/authentication",
            [
                "mvpd": mvpd.map(JSONValue.text), "returnTo": returnTo.map(JSONValue.text),
                "secondScreen": secondScreen ? .boolean(true) : nil, "force": force ? .boolean(true) : nil,
                "identity": identity.map(JSONValue.text),
            ])
    }

    /// How far the sign-in is.
    ///
    /// - Parameter wait: How long the gateway waits for a change, in seconds: 0 to 25.
    /// - Returns: The request; its answer has the code `authenticated`, `pending` or `not_authenticated`.
    public static func signInStatus(waiting wait: Int = 0) -> Self {
        var call = GatewayCall(.get, "/v1/authentication")
        if wait > 0 { (call.query, call.wait) = ([["wait", String(wait)]], wait) }
        return call
    }

    /// Proves that the browser came back to this device.
    ///
    /// - Parameter code: The one-time code that the address had which opened the app.
    /// - Returns: The request; its answer is that of ``signInStatus(waiting:)``.
    public static func prove(returned code: String) -> Self {
        GatewayCall(.put, "/v1/authentication", ["returned": .text(code)])
    }

    /// Gives the sign-in up.
    public static let cancelSignIn = GatewayCall(.delete, "/v1/authentication")

    // MARK: The sign-on partner of the device's system

    /// What the partner says, at the app's start and when it comes to the foreground.
    public static func partner(_ status: PartnerStatus) -> Self {
        GatewayCall(.put, "/v1/partner", ["status": status.json])
    }

    /// What the partner has answered to a question.
    ///
    /// - Parameters:
    ///   - reply: The answer.
    ///   - returnTo: Where the browser goes in the end, if the sign-in goes on there.
    /// - Returns: The request; its answer is a ``SignInStep``.
    public static func partnerReply(_ reply: PartnerReply, returnTo: String? = nil) -> Self {
        GatewayCall(
            .post, "/v1/authentication/partner",
            reply.members.merging(["returnTo": returnTo.map(JSONValue.text)]) { _, new in new })
    }

    // MARK: The viewer

    /// Who is signed in, with the attributes that the gateway lets through.
    ///
    /// - Parameter refreshing: Whether the broker is asked anew, as an app does that comes to the foreground.
    /// - Returns: The request.
    public static func profile(refreshing: Bool = false) -> Self {
        var call = GatewayCall(.get, "/v1/profile")
        if refreshing { call.query = [["refresh", "1"]] }
        return call
    }

    /// Which of some resources the viewer may watch, for marks in lists.
    ///
    /// - Parameters:
    ///   - resources: 1 to 25 resources.
    ///   - cache: Whether permits that the gateway remembers count; without, the broker is asked for all.
    /// - Returns: The request.
    public static func preauthorize(_ resources: [String], cache: Bool = true) -> Self {
        GatewayCall(
            .post, "/v1/preauthorizations",
            ["resources": .list(resources.map(JSONValue.text)), "cache": cache ? nil : .boolean(false)])
    }

    /// Starts a play.
    ///
    /// - Parameter resource: The resource.
    /// - Returns: The request; its answer is a ``Playback``, whose session is in the body alone.
    public static func play(_ resource: String) -> Self {
        GatewayCall(.post, "/v1/plays", ["resource": .text(resource), "cookie": .boolean(false)])
    }

    /// Signs the viewer out.
    ///
    /// - Parameters:
    ///   - mvpd: The provider to sign out of; all without it.
    ///   - returnTo: Where the browser goes in the end, one of the app's list.
    /// - Returns: The request.
    public static func logout(of mvpd: String? = nil, returnTo: String? = nil) -> Self {
        GatewayCall(
            .post, "/v1/logout", ["mvpd": mvpd.map(JSONValue.text), "returnTo": returnTo.map(JSONValue.text)])
    }

    // MARK: Playback sessions

    /// Gives a playback session a later end.
    ///
    /// - Parameter session: The session.
    /// - Returns: The request; its answer has the members of a ``Playback`` that tell the session and its end.
    public static func renewPlayback(_ session: String) -> Self {
        GatewayCall(.post, "/v1/playback-sessions/renew", ["session": .text(session), "cookie": .boolean(false)])
    }

    /// Ends a playback session, so that its stream counts no longer.
    public static func endPlayback(_ session: String) -> Self {
        GatewayCall(.post, "/v1/playback-sessions/end", ["session": .text(session)])
    }
}
