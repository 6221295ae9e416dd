import COpenSSL
import HostSystem

/// Owns a private library context with OpenSSL's legacy provider, which has RC2, RC4 and single DES.
///
/// The process's default context stays as it is. Loading a provider into that one would switch off its automatic default
/// provider, and with it SHA-256 (OSSL_PROVIDER(3)).
@safe
final class OldCipherContext {
    let raw: OpaquePointer
    private let providers: [OpaquePointer]

    /// Loads the provider from a folder; `nil` is the one that this OpenSSL was built with.
    ///
    /// Throws `.noLegacyProvider` if it is not installed.
    init(providersIn folder: String?) throws(UnlockFailure) {
        guard let context = unsafe OSSL_LIB_CTX_new() else {
            throw .failed(OpenSSLFailure("making a library context"))
        }
        if let folder, unsafe OSSL_PROVIDER_set_default_search_path(context, folder) != 1 {
            unsafe OSSL_LIB_CTX_free(context)
            throw .failed(OpenSSLFailure("making a library context"))
        }
        // The legacy provider alone has neither SHA-1 nor 3DES.
        guard let base = unsafe OSSL_PROVIDER_load(context, "default") else {
            unsafe OSSL_LIB_CTX_free(context)
            throw .failed(OpenSSLFailure("loading OpenSSL's default provider"))
        }
        guard let legacy = unsafe OSSL_PROVIDER_load(context, "legacy") else {
            unsafe _ = OSSL_PROVIDER_unload(base)
            unsafe OSSL_LIB_CTX_free(context)
            ERR_clear_error()
            throw .noLegacyProvider(file: Self.providerFile(in: folder))
        }
        unsafe raw = context
        unsafe providers = [legacy, base]
    }

    deinit {
        unsafe providers.forEach { unsafe _ = OSSL_PROVIDER_unload($0) }
        unsafe OSSL_LIB_CTX_free(raw)
    }

    private static func providerFile(in folder: String?) -> String {
        let place = folder ?? environmentValue("OPENSSL_MODULES") ?? information(OPENSSL_INFO_MODULES_DIR) ?? "."
        return "\(place)/legacy\(information(OPENSSL_INFO_DSO_EXTENSION) ?? ".so")"
    }

    private static func information(_ kind: Int32) -> String? {
        unsafe OPENSSL_info(kind).map { unsafe String(cString: $0) }
    }
}
