#if Service
import StoreAddresses
import TokenRedemption

extension ServiceSettings {
    /// Where used tokens are remembered.
    struct Store: Sendable {
        /// `nil` if a token may be used any number of times.
        let address: ReplayStoreAddress?
        private let text: String
        private let passwordFile: String?

        init(from reader: inout SettingsReader) {
            text = reader.text("store.address") ?? ""
            address = Self.address(text, from: &reader)
            passwordFile = reader.text("store.passwordFile")
            if passwordFile != nil, address?.isRedis != true {
                reader.report(.conflict, of: "store.passwordFile", detail: "needs a store.address of redis://…")
            }
        }

        private static func address(_ text: String, from reader: inout SettingsReader) -> ReplayStoreAddress? {
            if text == "none" { return nil }
            guard !text.isEmpty else {
                reader.report(
                    .missing, of: "store.address",
                    detail: "say where used tokens are remembered: memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or "
                        + "redis+unix://PATH; or none, which lets a token pass any number of times")
                return nil
            }
            do throws(ReplayStoreAddressError) {
                return try ReplayStoreAddress(text)
            } catch {
                reader.report(.badValue, of: "store.address", detail: error.reason)
                return nil
            }
        }

        /// Opens the store; `nil` if there is none.
        func open(
            onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
        ) throws(ReplayStoreOpeningError) -> (any ReplayStore)? {
            try address?.open(passwordFile: passwordFile, onWarning: onWarning)
        }
    }
}

extension ServiceSettings.Store: Equatable {
    static func == (one: Self, other: Self) -> Bool { one.text == other.text && one.passwordFile == other.passwordFile }
}
#endif
