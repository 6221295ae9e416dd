#if Service
import EntitlementKeys
import HostSystem
import Logging
import MetadataDecryption

extension VerificationService {
    /// Logs what the operator should put right, although the service can do its work.
    func warn(of configuration: ActiveConfiguration, _ stores: OpenedStores) {
        let logger = state.logger
        for key in configuration.keys.keys where key.isWeak {
            logger.warning(
                "a key is shorter than 2048 bits", metadata: ["key": "\(key.label)", "bits": "\(key.bits)"])
        }
        if stores.redemptions == nil {
            logger.warning("store.address is none: a token may be used any number of times")
        }
        if settings.decryption != nil, !MetadataDecrypter.paddingOracleHardened {
            logger.warning(
                "this OpenSSL reveals bad padding (no implicit rejection): let only trusted clients have values decrypted"
            )
        }
        let connections = state.publicConnections
        if connections.limit < settings.limits.connections {
            logger.warning(
                "limits.connections needs more file descriptors than the process may have, so fewer connections are taken: raise LimitNOFILE",
                metadata: [
                    "code": "file_limit", "needed": "\(connections.neededFiles)", "limit": "\(connections.limit)",
                ])
        }
    }

    /// Logs what is allowed in the settings, and yet may be a mistake; `--check` says it without a service that runs.
    func warnOfSettings() {
        for warning in settings.warnings {
            state.logger.warning("\(warning.setting): \(warning.detail)", metadata: ["code": "\(warning.code)"])
        }
    }
}
#endif
