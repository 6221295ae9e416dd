#if Redis
import EntitlementValues
import RedisStores
import Testing

@Suite struct RedisAddressTests {
    @Test(arguments: [
        ("redis://cache.example.com:6380/3", "cache.example.com", 6380, 3),
        ("redis://localhost", "localhost", 6379, 0),
        ("redis://localhost/", "localhost", 6379, 0),
        ("REDIS://127.0.0.1:1", "127.0.0.1", 1, 0),
        ("redis://[::1]:6379/15", "::1", 6379, 15),
        ("redis://[fe80::1%eth0]", "fe80::1%eth0", 6379, 0),
    ])
    func `Servers on networks are read`(_ text: String, _ host: String, _ port: Int, _ database: Int) throws {
        let address = try RedisAddress(parsing: text)
        #expect(address.endpoint == .tcp(host: host, port: port))
        #expect(address.database == database)
        #expect(address.user == nil)
        #expect(try RedisAddress(parsing: address.description) == address)
    }

    @Test(arguments: [
        ("redis+unix:///run/redis/redis.sock", "/run/redis/redis.sock", 0),
        ("redis+unix:///run/redis.sock?db=7", "/run/redis.sock", 7),
        ("redis+unix:///run/a%20b%3fc", "/run/a b?c", 0),
        ("redis+unix:///run/a:b@c", "/run/a:b@c", 0),
    ])
    func `Sockets are read`(_ text: String, _ path: String, _ database: Int) throws {
        let address = try RedisAddress(parsing: text)
        #expect(address.endpoint == .unixSocket(path: path))
        #expect(address.database == database)
    }

    @Test func `Sentinels are read`() throws {
        let hosts = [RedisAddress.Host("a.example.com"), RedisAddress.Host("::1", port: 5)]
        let address = try RedisAddress(parsing: "redis+sentinel://redeemer@a.example.com,[::1]:5/my-tokens.1/3")
        #expect(address.endpoint == .sentinels(hosts, primary: "my-tokens.1"))
        #expect(address.database == 3 && address.user == "redeemer" && !address.isEncrypted)
        #expect(address.description == "redis+sentinel://a.example.com:26379,[::1]:5/my-tokens.1/3")
        let encrypted = try RedisAddress(parsing: "rediss+sentinel://a.example.com,[::1]:5/my-tokens.1")
        #expect(encrypted.isEncrypted && encrypted.database == 0)
        #expect(try RedisAddress(parsing: encrypted.description) == encrypted)
    }

    @Test func `Users are read and not shown`() throws {
        let remote = try RedisAddress(parsing: "redis://red%65emer@host:1/2")
        #expect(remote.user == "redeemer")
        #expect(remote.description == "redis://host:1/2")
        let local = try RedisAddress(parsing: "redis+unix://redeemer@/run/a:b@c")
        #expect(local.user == "redeemer")
        #expect(local.endpoint == .unixSocket(path: "/run/a:b@c"))
    }

    @Test(arguments: [
        "redis://user:geheim@host:6379/0", "redis://:geheim@host", "redis://user:ge/he@im@host", "redis://u:@host",
        "redis+unix://user:geheim@/run/redis.sock", "redis+unix://:ge/heim@/run/redis.sock",
        "redis://user:geheim@host/?#", "redis://user:geheim@", "rediss://user:geheim@host",
        "redis+sentinel://user:geheim@a,b/n",
    ])
    func `Passwords are refused and not repeated`(_ text: String) {
        let error = #expect(throws: RedisConfigurationError.self) { try RedisAddress(parsing: text) }
        #expect(error == .passwordInAddress)
        #expect(error.map { !$0.description.contains("geheim") } == true)
    }

    @Test(arguments: ["rediss://cache.example.com:6380/3", "VALKEYS://cache.example.com:6380/3"])
    func `Addresses ask for encryption`(_ text: String) throws {
        let address = try RedisAddress(parsing: text)
        #expect(address.isEncrypted)
        #expect(address.endpoint == .tcp(host: "cache.example.com", port: 6380))
        #expect(address.description == "rediss://cache.example.com:6380/3")
        #expect(try RedisAddress(parsing: "valkey://h").isEncrypted == false)
        #expect(throws: RedisConfigurationError.self) {
            try RedisAddress(.unixSocket(path: "/run/redis.sock"), isEncrypted: true)
        }
    }

    @Test(arguments: [
        "", "redis", "redis:", "redis:/host", "host:6379", "http://host", "unix:///run/redis.sock",
        "rediss:///run/redis.sock",
        "redis://", "redis://:6379", "redis:///0", "redis://host:", "redis://host:0", "redis://host:65536",
        "redis://host:6379x", "redis://host:+1", "redis://host:99999999999", "redis://host:\u{661}",
        "redis://host/x", "redis://host/-1", "redis://host/2147483648", "redis://host/0/1", "redis://host?db=1",
        "redis://host#1", "redis://::1", "redis://[::1", "redis://[::1]6379", "redis://[host]:1", "redis://ho st",
        "redis://host\u{0}", "redis://a@b@host", "redis://@host", "redis://us%zzr@host", "redis://us%4@host",
        "redis://us%ffr@host", "redis://us%+4r@host", "redis://a%20b@host", "redis+unix://run/redis.sock",
        "redis+unix://", "redis+unix:///run/a%00b", "redis+unix:///run/a?database=1", "redis+unix:///run/a?db=",
        "redis+unix:///run/a?db=1&x=2", "redis+sentinel://", "redis+sentinel://a", "redis+sentinel://a/",
        "redis+sentinel://a,/n", "redis+sentinel://,a/n", "redis+sentinel:///n", "redis+sentinel://a/n/x",
        "redis+sentinel://a/n/0/1", "redis+sentinel://a/two words", "redis+sentinel://a/n?db=1",
        "redis+sentinel://a:0/n", "redis+sentinel://a b/n", "redis+sentinel://\(String(repeating: "a,", count: 16))a/n",
    ])
    func `What is no address is refused`(_ text: String) {
        let error = #expect(throws: RedisConfigurationError.self) { try RedisAddress(parsing: text) }
        #expect(error?.code == "bad_address")
        #expect(error?.description.contains("redis://HOST:PORT/DB") == true)
    }

    @Test func `Paths that the system would cut are refused`() throws {
        let longest = "/" + String(repeating: "a", count: 102)
        #expect(throws: Never.self) { try RedisAddress(.unixSocket(path: longest)) }
        #expect(throws: RedisConfigurationError.self) { try RedisAddress(.unixSocket(path: longest + "bcdef")) }
    }

    @Test func `Settings that cannot be meant are refused`() throws {
        func refused(_ make: () throws(RedisConfigurationError) -> RedisPoolSettings) -> String? {
            do throws(RedisConfigurationError) {
                _ = try make()
                return nil
            } catch {
                if case .badSetting(let name, _) = error { return name }
                return error.code
            }
        }
        for prefix in ["", "with blank", "ü", "line\n", String(repeating: "x", count: 65)] {
            #expect(refused { () throws(RedisConfigurationError) in try .init(prefix: prefix) } == "prefix")
        }
        for count in [0, -1, 65] {
            #expect(
                refused { () throws(RedisConfigurationError) in try .init(connections: count) } == "connections")
        }
        for limit in [0, -1, 60_001, Int64.min, .max] {
            let limit = TimeToLive(milliseconds: limit)
            #expect(refused { () throws(RedisConfigurationError) in try .init(timeLimit: limit) } == "timeLimit")
        }
        for name in ["", "two words", "ü", String(repeating: "x", count: 65)] {
            #expect(refused { () throws(RedisConfigurationError) in try .init(clientName: name) } == "clientName")
        }
        for limit in [0, 60_001] as [Int64] {
            let limit = TimeToLive(milliseconds: limit)
            #expect(
                refused { () throws(RedisConfigurationError) in try .init(connectTimeLimit: limit) }
                    == "connectTimeLimit")
        }
        for limit in [0, -1, Int.max] {
            #expect(
                refused { () throws(RedisConfigurationError) in try .init(maximumWaiting: limit) } == "maximumWaiting")
        }
        #expect(RedisPoolSettings.standard.timeLimit == TimeToLive(milliseconds: 250))
    }
}
#endif
