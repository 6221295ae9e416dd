#if Service
import BrokerClient
import Configuration
import Foundation
import HostSystem

/// The sources that settings are read from, at the start and again at each reload.
///
/// There are three: a JSON file, environment variables, and overrides given by the caller. If several sources set the same
/// name, overrides win over variables, and variables win over the file. The variable of `public.port` is
/// `TVE_PUBLIC_PORT`; the elements of a list are separated by commas there. An unknown variable that begins like a known
/// one, such as `TVE_PUBLIC_PROT`, is a fault.
///
/// If the settings name a broker, a proxy is taken from the variables that other programs know, too: see
/// `HTTPProxy.ofEnvironment()`.
public struct SettingsSource: Sendable {
    /// The configuration file, if there is one.
    public let file: String?
    private let environment: [String: String]
    private let overrides: [(name: String, value: String)]

    /// Names the sources.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON file; `nil` for none.
    ///   - environment: Environment variables, of which those that begin with a known prefix and those of a proxy are read;
    ///     `nil` for those of the process.
    ///   - overrides: Names of settings, and their values as an environment variable would hold them.
    public init(
        file: String?, environment: [String: String]? = nil, overrides: [(name: String, value: String)] = []
    ) {
        self.file = file
        self.environment = environment ?? ProcessInfo.processInfo.environment
        self.overrides = overrides
    }

    /// Reads and checks all settings.
    ///
    /// The files that the settings name are opened only if there is a fault, so that faults of keys and store are reported
    /// together with it.
    ///
    /// - Returns: Settings without faults.
    /// - Throws: `ServiceSettingsError` with all faults.
    public func read() async throws(ServiceSettingsError) -> ServiceSettings { try settings(in: content()) }

    /// What the file held at one time.
    package struct Content {
        /// When it was changed before that.
        let stamps: [FileStamp]
        /// `nil` if there is no file.
        let file: SettingsFile?
    }

    /// Reads the file.
    package func content() -> Content {
        // Before the file, so that a change in between is seen as one.
        let stamps = ActiveConfiguration.stamps(of: [file])
        return Content(stamps: stamps, file: file.map(SettingsFile.init))
    }

    /// Checks all settings, with what the file holds; throws all faults if there is one.
    package func settings(in content: Content) throws(ServiceSettingsError) -> ServiceSettings {
        let (stamps, content) = (content.stamps, content.file)
        var faults: [SettingsFault] = []
        let reader = reader(content, faults: &faults)
        faults += content?.faults ?? []
        // What the other sources leave out may be in the file: nothing is known of it.
        if let content, !content.isReadable { throw ServiceSettingsError(faults) }
        let proxy = self.proxy(for: reader, faults: &faults)
        let apps = Set(overrides.compactMap { SettingName.app($0.name)?.id }).union(content?.apps ?? [])
        var settings = try ServiceSettings(reading: reader, apps: apps.sorted(), after: faults)
        (settings.fileStamps, settings.proxy) = (stamps, proxy)
        return settings
    }

    /// The proxy that the environment names; `nil` for none.
    private func proxy(for reader: ConfigReader, faults: inout [SettingsFault]) -> HTTPProxy? {
        // Without such an address, there is no connection that could go through it: in clear, only this machine is asked.
        let settings = SettingsReader(reader)
        let isUsed = ["broker.origin", "broker.attestationURL", "broker.events.to"].contains { name in
            settings.unreportedText(name)?.lowercased().hasPrefix("https://") ?? false
        }
        guard isUsed else { return nil }
        return faults.reading(try HTTPProxy.ofEnvironment { environment[$0] }) { (error: BrokerSettingsError) in
            var (name, fault) = ("HTTPS_PROXY", error)
            if case .malformedProxy(let variable?, let reason) = error {
                (name, fault) = (variable, .malformedProxy(variable: nil, reason: reason))
            }
            return SettingsFault(setting: name, code: fault.code, detail: fault.description)
        } ?? nil
    }

    /// What the settings still admit; of a file that cannot be read, nothing is known.
    ///
    /// The content is the same that was refused, so that a good one that has come since is not taken for the withdrawal
    /// of what it leaves out.
    package func admission(in content: Content) -> Admission {
        let content = content.file
        var faults: [SettingsFault] = []
        var reader = SettingsReader(reader(content, faults: &faults))
        faults += content?.faults ?? []
        var admission = Admission(revoked: ServiceSettings.KeyFiles.revoked(from: &reader))
        guard content?.isReadable != false else { return admission }
        // An empty list is refused, and takes all keys away.
        admission.issuerFiles = reader.list("keys.paths", mayBeEmpty: true)
        admission.passwordFiles = reader.text("keys.passwordFile").map { [$0] }
        admission.sessionFiles = reader.list("sessions.keyFiles", mayBeEmpty: true)
        admission.secretFiles = reader.text("decryption.secretFile").map { [$0] }
        let accepts = (reader.bool("keys.acceptPublishedTestKeys"), reader.bool("verification.acceptLegacySHA1"))
        // What is left out is meant to be, unless its name may be the misspelt one.
        faults += reader.faults
        let isKnown = { name in !faults.contains { $0.setting == name || $0.isOfUnknownSetting } }
        if isKnown("keys.paths") { admission.issuerFiles = admission.issuerFiles ?? [] }
        if isKnown("keys.passwordFile") { admission.passwordFiles = admission.passwordFiles ?? [] }
        if isKnown("sessions.keyFiles") { admission.sessionFiles = admission.sessionFiles ?? [] }
        if isKnown("decryption.secretFile") { admission.secretFiles = admission.secretFiles ?? [] }
        admission.admitsTestKeys = accepts.0 || !isKnown("keys.acceptPublishedTestKeys")
        admission.admitsSHA1 = accepts.1 || !isKnown("verification.acceptLegacySHA1")
        return admission
    }

    private func reader(_ content: SettingsFile?, faults: inout [SettingsFault]) -> ConfigReader {
        var providers: [any ConfigProvider] = []
        providers.append(InMemoryProvider(name: "flags", values: overridden(&faults)))
        providers.append(EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "tve"))
        for name in environment.keys.sorted() where SettingName.variablePrefixes.contains(where: name.hasPrefix) {
            if !SettingName.variables.contains(name) { faults.append(.unknownSetting(name)) }
        }
        if let content { providers.append(InMemoryProvider(name: "file", values: content.values)) }
        return ConfigReader(providers: providers)
    }

    private func overridden(_ faults: inout [SettingsFault]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, text) in overrides {
            let content: ConfigContent? =
                switch SettingName.named(name)?.kind {
                case .text: .string(text)
                case .number: Int(text).map { .int($0) }
                case .bool: Bool(text).map { .bool($0) }
                case .list:
                    .stringArray(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
                case nil: nil
                }
            if let content {
                values[AbsoluteConfigKey(ConfigKey(name))] = ConfigValue(content, isSecret: false)
            } else if SettingName.named(name) == nil {
                faults.append(.unknownSetting(name))
            } else {
                faults.append(SettingsFault(.badValue, of: name, detail: "is not a number, or neither true nor false"))
            }
        }
        return values
    }
}
#endif
