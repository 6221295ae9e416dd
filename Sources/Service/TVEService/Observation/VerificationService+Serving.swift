#if Service
import EntitlementKeys
import HostSystem
import Logging
import OpenSSLBridge
import SealedRecords
import StoreAddresses
import TokenRedemption

/// What an operator asks first: what is running, with which settings, keys and stores, and whether these answer.
extension VerificationService {
    /// Says in one line of the log what serves, once all listeners are open.
    func logServing(at addresses: Addresses) {
        let configuration = state.configuration
        var metadata = configuration.keyMetadata
        metadata["version"] = "\(releaseVersion)"
        metadata["openssl"] = "\(openSSLVersion)"
        metadata["settings"] = "\(state.source?.file ?? "none")"
        metadata["fingerprints"] = "\(configuration.shownFingerprints)"
        metadata["store"] = "\(settings.store.address?.shown ?? "none")"
        if let sessions = settings.sessions { metadata["sessionStore"] = "\(sessions.records?.shown ?? "none")" }
        if let gateway = settings.gateway { metadata["deviceStore"] = "\(gateway.records.shown)" }
        metadata["public"] = "\(settings.publicAddress.shown(withPort: addresses.publicPort))"
        metadata["internal"] = "\(settings.internalAddress.shown(withPort: addresses.internalPort))"
        switch settings.decryption?.listener {
        case .address(let address)?:
            metadata["decryption"] = "\(address.shown(withPort: addresses.decryptionPort ?? address.port))"
        case let socket?: metadata["decryption"] = "\(socket)"
        case nil: break
        }
        state.logger.notice("serving", metadata: metadata)
    }

    /// Asks each store of the settings once.
    ///
    /// Returns the settings that name a store, and why it does not answer; `nil` if it does.
    package func askStores() async -> [(setting: String, fault: String?)] {
        var answers: [(setting: String, fault: String?)] = []
        if let store = state.stores.redemptions {
            answers.append((setting: "store.address", fault: await Self.fault { try await store.probe() }))
        }
        let records = [("sessions.store", state.stores.records), ("broker.store", state.stores.devices)]
        // No record has this key: keys are digests.
        guard let key = RecordKey(Array(repeating: 0, count: RecordKey.length)) else { return answers }
        for (setting, store) in records {
            guard let store else { continue }
            answers.append((setting: setting, fault: await Self.fault { _ = try await store.version(at: key) }))
        }
        return answers
    }

    /// Why a store does not answer; `nil` if it does.
    private static func fault(of ask: () async throws -> Void) async -> String? {
        do {
            try await ask()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension ActiveConfiguration {
    /// The starts of the fingerprints of the issuers' keys; of many, the first.
    fileprivate var shownFingerprints: String {
        let limit = 20
        let shown = keys.keys.prefix(limit).map { String($0.fingerprint.prefix(16)) }
        return shown.joined(separator: " ") + (keys.keys.count > limit ? " …" : "")
    }
}

extension ServiceSettings.Address {
    fileprivate func shown(withPort port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension ReplayStoreAddress {
    /// The kind of a store, and where it is, without what may be secret.
    fileprivate var shown: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .redis: (["redis"] + hosts).joined(separator: " ")
        }
    }
}
#endif
