import HostSystem
import COpenSSL

/// Owns a library context of its own with OpenSSL's legacy provider in it: RC2, RC4 and single DES.
///
/// The process's default context stays as it is. A first explicit load into that one would switch its automatic default
/// provider off, and with it SHA-256.
@safe
final class LegacyContext {
    let raw: OpaquePointer
    private let providers: [OpaquePointer]

    /// Loads the provider.
    ///
    /// - Parameter folder: Where providers are looked for; `nil` for where this OpenSSL has them.
    /// - Throws: `UnlockFailure`; `.noLegacyProvider` where it is not installed.
    init(providersIn folder: String?) throws(UnlockFailure) {
        guard let context = unsafe OSSL_LIB_CTX_new() else {
            throw .failed(OpenSSLFailure("making a library context"))
        }
        if let folder, unsafe OSSL_PROVIDER_set_default_search_path(context, folder) != 1 {
            unsafe OSSL_LIB_CTX_free(context)
            throw .failed(OpenSSLFailure("making a library context"))
        }
        // "legacy" alone would have neither SHA-1 nor 3DES.
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

/// Tells whether the process's default context has a cipher: for the test that imports leave it alone, and for doctors.
package func defaultContextKnows(cipher name: String) -> Bool {
    withCleanErrorQueue {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else { return false }
        unsafe EVP_CIPHER_free(cipher)
        return true
    }
}

/// Looks for OpenSSL's legacy provider as an import would.
///
/// - Returns: `nil` where it loads, else the file that is missing.
package func missingLegacyProvider() -> String? {
    withCleanErrorQueue {
        do throws(UnlockFailure) {
            _ = try LegacyContext(providersIn: nil)
            return nil
        } catch {
            if case .noLegacyProvider(let file) = error { return file }
            return "legacy"
        }
    }
}
