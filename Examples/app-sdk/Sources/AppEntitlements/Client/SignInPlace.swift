/// Where the viewer signs in.
public enum SignInPlace: Sendable, Hashable {
    /// In a browser of this device, which then opens the app by an address: one of `broker.apps.ID.returnTo`.
    case browser(returnTo: String)
    /// On another screen, with a code; the viewer chooses the provider here.
    case otherScreen
    /// On another screen, with a code; the viewer chooses the provider there, so that no picker is shown here, and none of
    /// the device's system: its account signs in silently at the start, or not at all.
    case otherScreenWithPicker

    /// Where the browser goes in the end; `nil` without a browser.
    var returnTo: String? { if case .browser(let address) = self { address } else { nil } }

    /// The one-time code of an address that has opened the app.
    ///
    /// - Parameter url: The address.
    /// - Returns: The code, an empty text if there is none; `nil` if the address is not that of the app.
    func returned(by url: String) -> String? {
        guard let returnTo, url.withoutQuery == returnTo.withoutQuery else { return nil }
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        // The gateway puts it last.
        let code = query.split(separator: "&").last { $0.hasPrefix("returned=") }
        return code.map { String($0.dropFirst("returned=".count)) } ?? ""
    }
}

extension String {
    fileprivate var withoutQuery: Substring { prefix { $0 != "?" && $0 != "#" } }
}
