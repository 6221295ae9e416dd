#if Client
public import BrokerMessages
public import DeviceRecords
public import EntitlementValues

/// A broker that is called on behalf of an application's devices.
///
/// It is a value: copies share the transport, the pacer, and the registrations of the devices. One broker serves all
/// devices of an application in a process.
///
/// ```swift
/// let broker = Broker(at: .production, application: Broker.Application(statement), records: records)
/// let caller = try broker.caller(device, from: "203.0.113.7")
/// ```
public struct Broker: Sendable {
    /// The application that devices are registered for.
    public struct Application: Sendable, Hashable {
        /// The software statement, which the operator issues for each application.
        ///
        /// It may be replaced by another one of the same application.
        public let statement: SoftwareStatement
        /// A name of your own, under which devices keep their registration; under another name they register anew.
        ///
        /// What begins with the name and `:management` is kept for resets of temporary access.
        public let name: String
        /// A redirect URI to register; `nil` for none, which the broker accepts.
        public let redirectURI: String?

        /// Describes an application.
        ///
        /// - Parameters:
        ///   - statement: The software statement.
        ///   - name: A name of your own, if the same records serve several applications.
        ///   - redirectURI: A redirect URI to register.
        public init(_ statement: SoftwareStatement, name: String = "default", redirectURI: String? = nil) {
            (self.statement, self.name, self.redirectURI) = (statement, name, redirectURI)
        }
    }

    /// How requests are sent and watched: the same for all brokers that were made of one another.
    private struct Means: Sendable {
        let transport: any HTTPTransport
        let settings: BrokerSettings
        let time: TimeSource
        let observer: BrokerObserver
        let clock = BrokerClock()
    }

    /// In one object: each call copies its broker several times, and a copy then counts one reference instead of a dozen.
    private final class Parts: Sendable {
        let environment: BrokerEnvironment
        let application: Application
        let records: DeviceDirectory
        let pacer: RequestPacer
        let means: Means
        let scope: RegistrationScope
        let registrations: RegistrationTable

        init(
            _ environment: BrokerEnvironment,
            _ application: Application,
            _ records: DeviceDirectory,
            pacer: RequestPacer,
            by means: Means
        ) {
            (self.environment, self.application, self.records) = (environment, application, records)
            (self.pacer, self.means) = (pacer, means)
            scope = RegistrationScope(origin: "\(environment.api)", application: application.name)
            registrations = RegistrationTable(capacity: means.settings.rememberedDevices)
        }
    }

    private let parts: Parts

    /// Where the broker is.
    public var environment: BrokerEnvironment { parts.environment }
    /// The application that devices are registered for.
    public var application: Application { parts.application }
    /// Keeps the credentials and access tokens of the devices.
    ///
    /// Erase devices with it, or with a copy of it: so the broker notices that.
    public var records: DeviceDirectory { parts.records }
    /// Time limit, repeats and header fields.
    public var settings: BrokerSettings { parts.means.settings }
    /// Sends the requests.
    var transport: any HTTPTransport { parts.means.transport }
    /// Holds requests back that the broker would refuse as too many.
    package var pacer: RequestPacer { parts.pacer }
    /// Measures deadlines and waits, and tells when tokens end.
    package var time: TimeSource { parts.means.time }
    /// Tells logs, metrics and spans what happens.
    var observer: BrokerObserver { parts.means.observer }
    /// Compares the clocks.
    var clock: BrokerClock { parts.means.clock }
    /// Where the registrations are in the devices' records.
    package var scope: RegistrationScope { parts.scope }
    /// The registrations of the devices that were called for last.
    package var registrations: RegistrationTable { parts.registrations }

    /// Describes a broker; nothing is sent, and nothing is stored.
    ///
    /// - Parameters:
    ///   - environment: Where the broker is.
    ///   - application: The application that devices are registered for.
    ///   - records: Keeps the credentials and access tokens of the devices.
    ///   - transport: Sends the requests.
    ///   - settings: Time limit, repeats and header fields.
    ///   - pacer: Holds requests back that the broker would refuse; share one among all brokers of one environment.
    ///     Without one, the broker and its copies have their own.
    ///   - time: Measures deadlines and waits, and tells when tokens end.
    ///   - observation: Where calls are logged, counted and traced.
    public init(
        at environment: BrokerEnvironment,
        application: Application,
        records: DeviceDirectory,
        over transport: any HTTPTransport = AsyncHTTPTransport.shared,
        settings: BrokerSettings = BrokerSettings(),
        pacer: RequestPacer? = nil,
        time: TimeSource = .system,
        observation: BrokerObservation = BrokerObservation()
    ) {
        parts = Parts(
            environment, application, records, pacer: pacer ?? RequestPacer(time: time),
            by: Means(transport: transport, settings: settings, time: time, observer: BrokerObserver(observation)))
    }

    /// The same kind of broker at another place, with a pacer of its own by the same clock: each place counts for
    /// itself.
    ///
    /// It is this broker if it is the same place.
    package func moved(to environment: BrokerEnvironment) -> Broker {
        guard environment != self.environment else { return self }
        return Broker(
            Parts(environment, application, records, pacer: RequestPacer(time: pacer.time), by: parts.means))
    }

    /// The same broker for another application, or with other records, and with registrations of its own.
    ///
    /// It shares the pacer, since the broker counts the requests of all applications together. The records keep the
    /// credentials and access tokens of the application's devices.
    package func serving(_ application: Application, records: DeviceDirectory) -> Broker {
        Broker(Parts(environment, application, records, pacer: pacer, by: parts.means))
    }

    private init(_ parts: Parts) { self.parts = parts }
}

/// How calls of the broker are made.
public struct BrokerSettings: Sendable, Hashable {
    /// How long a call may take: waits, repeats, a new access token and the whole answer included.
    ///
    /// 10 s by default. A call can state another limit.
    public var timeLimit: Duration = .seconds(10)
    /// How often a request is repeated at most after the broker has answered that there are too many: 3 times by
    /// default.
    public var maximumRepeatsWhenThrottled = 3
    /// How often a request that is safe to repeat is repeated at most after the broker or the connection has failed:
    /// twice by default.
    public var maximumRepeatsAfterFailures = 2
    /// Whether the device's identifier and information go on every call of version 2, instead of only on those whose
    /// reference has them.
    ///
    /// On by default: the operator's checklist, by which applications are accepted, demands both on every call. Off, only
    /// fields of the reference are sent.
    public var sendsDeviceHeadersEverywhere = true
    /// Whether the client's address goes on the calls for credentials and access tokens, too.
    ///
    /// On by default. Their reference does not have the field, but they are throttled by it: without it, a server has one call a second
    /// for all its devices.
    public var sendsClientAddressOnRegistration = true

    /// The software statement with which devices are registered for resets of temporary access: one with the scope
    /// `AccessScope.temporaryAccess`, which the statements of apps do not have.
    ///
    /// The credentials are kept beside those of the application, under a name of the statement's own, so logins do not
    /// depend on them, and another statement is registered anew. `nil` by default: a reset then has the application's own
    /// access token, which the broker probably refuses.
    public var management: SoftwareStatement?

    /// Of how many devices the access tokens are kept in memory, for each application and origin: those that were called for
    /// last, until the token has ended; more only while they are in use.
    ///
    /// 10,000 by default. The token of another device is read from its record.
    public var rememberedDevices = 10_000

    /// Makes the default settings.
    public init() {}
}
#endif
