import Foundation

extension EntitlementClient {
    /// Tells the provider that the viewer chose last, by `selectedProvider`; nothing is asked.
    public func getSelectedProvider() {
        Task { self.delegate?.selectedProvider(await self.gateway?.lastChosen()) }
    }

    /// Answers a question about the viewer, by `setMetadataStatus`.
    ///
    /// What cannot be had is `nil`, and not an error; the end of the sign-in is also known without a connection.
    ///
    /// - Parameter arguments: `METADATA_OPCODE_KEY` with the name or the number of a ``MetadataKey``, and for attributes
    ///   `METADATA_USER_META_KEY`; without it the answer has all of them, as `updated`, `encrypted` and `data`.
    public func getMetadata(_ arguments: [String: String]) {
        enqueue { await self.answer(arguments) }
    }

    private func answer(_ arguments: [String: String]) async {
        guard let key = MetadataKey(arguments) else {
            // An app that waits for the answer must get one.
            delegate?.setMetadataStatus(nil, encrypted: false, forKey: -1, andArguments: arguments)
            return
        }
        var (value, isEncrypted): (JSONValue?, Bool) = (nil, false)
        switch key {
        case .authorization, .deviceID: break
        case .authentication: value = await signInEnd().map { .text($0.oldExpiry) }
        case .userMetadata:
            guard let found = try? await ready().send(.profile()), let profile = ViewerProfile(found) else { break }
            let name = arguments["METADATA_USER_META_KEY"]
            isEncrypted = name.map(profile.unreadable.contains) ?? false
            value = profile.metadata(name, at: time.now())
        }
        delegate?.setMetadataStatus(value, encrypted: isEncrypted, forKey: key.rawValue, andArguments: arguments)
    }

    /// When the sign-in ends; without a connection, what was known last.
    private func signInEnd() async -> Int64? {
        do throws(GatewayError) {
            return ViewerProfile(try await ready().send(.profile()))?.until
        } catch {
            return error.saysNothingOfViewer ? viewer?.until : nil
        }
    }
}

extension ViewerProfile {
    /// An attribute, or all of them in the operator's object.
    fileprivate func metadata(_ name: String?, at now: Int64) -> JSONValue? {
        if let name { return attributes[name] }
        return .object([
            "updated": .integer(now / 1000), "encrypted": .list(unreadable.map(JSONValue.text)),
            "data": .object(attributes),
        ])
    }
}

extension Int64 {
    /// The instant as the operator's tokens state their end: `2026/11/22 21:15:00 GMT +0000`.
    var oldExpiry: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.calendar = Calendar(identifier: .gregorian)
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "yyyy/MM/dd HH:mm:ss 'GMT +0000'"
        return format.string(from: Date(timeIntervalSince1970: Double(self) / 1000))
    }
}
