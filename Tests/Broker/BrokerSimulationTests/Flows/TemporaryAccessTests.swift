#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import MediaTokens
import ServiceResponses
import TVETesting
import Testing

@Suite("Temporary access")
struct TemporaryAccessTests {
    @Test func `The time runs from the first authorization, and then access is over until it is reset`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let session = try await device.startSession(with: "TempPass")
        #expect(session.actionName == .authorize && session.reason == .temporary && session.code == nil)
        simulation.time.advance(by: .hours(2))
        let first = try #require(try device.decision(await device.authorize("TempPass", "news")))
        #expect(first.isAuthorized && first.source == .temporaryAccess)
        let token = try simulation.verified(try #require(first.token).serializedToken, "news")
        // The MD5 of the device's identifier: md5sum of `device-1`.
        #expect(token.sessionGUID == "d111f50a599b0a9fe3ef9e1c6b68ec88")
        let profiles: ProfilesResponse = try await device.profile(with: "TempPass").read()
        let profile = try #require(profiles.profiles.first)
        #expect(profile.type == .temporary && profile.issuer == "Adobe")
        #expect(profile.attributes["userID"]?.json?.string?.hasPrefix("temppass_") == true)
        #expect(profile.notAfter == Simulation.start + .hours(2) + .minutes(10))
        #expect(try await device.profiles().isEmpty)

        simulation.time.advance(by: .seconds(599))
        #expect(try device.decision(await device.authorize("TempPass", "sport"))?.isAuthorized == true)
        simulation.time.advance(by: .seconds(1))
        let over = try #require(try device.decision(await device.authorize("TempPass", "sport")))
        #expect(over.error?.code == .temporaryAccessDurationLimitExceeded)
        let refused = await device.profile(with: "TempPass")
        #expect(refused.status == 403 && refused.errorCode == .temporaryAccessDurationLimitExceeded)
        #expect(try device.decision(await device.preauthorize("TempPass", "sport"))?.isAuthorized == true)

        let fields = try await simulation.resetFields()
        let path = "/reset-tempass/v3/reset?requestor_id=REF30&mvpd_id=TempPass&device_id="
        let other = await TestDevice.send(simulation.simulator, .delete, path + "other", fields, "")
        #expect(other.status == 204)
        #expect(await device.profile(with: "TempPass").status == 403)
        #expect(await TestDevice.send(simulation.simulator, .delete, path + "device-1", fields, "").status == 204)
        #expect(await device.profile(with: "TempPass").status == 200)
    }

    @Test func `Plain temporary access counts for the device, whatever person it names`() async throws {
        let simulation = try Simulation()
        let identity = [TemporaryIdentity.name: try TemporaryIdentity("viewer@example.org").headerValue]
        var (one, two) = (try await simulation.device("one"), try await simulation.device("two"))
        (one.extra, two.extra) = (identity, identity)
        #expect(try one.decision(await one.authorize("TempPass", "a"))?.isAuthorized == true)
        simulation.time.advance(by: .minutes(10))
        #expect(try one.decision(await one.authorize("TempPass", "a"))?.isAuthorized == false)
        #expect(try two.decision(await two.authorize("TempPass", "a"))?.isAuthorized == true)
    }

    @Test func `Promotional access counts resources of the person, on all devices`() async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        let missing = await device.authorize("PromoPass", "a")
        #expect(missing.status == 400 && missing.errorCode == .invalidHeaderIdentityForTemporaryAccess)
        let identity = try TemporaryIdentity("viewer@example.org")
        device.extra = [TemporaryIdentity.name: identity.headerValue]
        for resource in ["a", "b", "a"] {
            #expect(try device.decision(await device.authorize("PromoPass", resource))?.isAuthorized == true)
        }
        let shown: ProfilesResponse = try await device.profile(with: "PromoPass").read()
        #expect(shown.profiles.first?.attributes["remaining_resources"]?.json?.text == "1")
        #expect(shown.profiles.first?.attributes["used_assets"]?.json?.text == #"["a","b"]"#)

        var second = try await simulation.device("device-2")
        second.extra = device.extra
        #expect(try second.decision(await second.authorize("PromoPass", "c"))?.isAuthorized == true)
        let over = try #require(try second.decision(await second.authorize("PromoPass", "d")))
        #expect(over.error?.code == .temporaryAccessResourcesLimitExceeded)
        #expect(try second.decision(await second.authorize("PromoPass", "a"))?.isAuthorized == true)
        let refused = await second.profile(with: "PromoPass")
        #expect(refused.status == 403 && refused.errorCode == .temporaryAccessResourcesLimitExceeded)

        let fields = try await simulation.resetFields()
        let generic = "/reset-tempass/v3/reset/generic?requestor_id=REF30&mvpd_id=PromoPass&key="
        #expect(await TestDevice.send(simulation.simulator, .delete, generic + "0a1b", fields, "").status == 204)
        #expect(try second.decision(await second.authorize("PromoPass", "d"))?.isAuthorized == false)
        // The SHA-256 of `viewer@example.org`.
        let path = generic + "005fc202e81ff0de9e654f77a9444d44fa2cac9de7caef43f6bbde1215921dee"
        #expect(await TestDevice.send(simulation.simulator, .delete, path, fields, "").status == 204)
        #expect(try second.decision(await second.authorize("PromoPass", "d"))?.isAuthorized == true)
    }

    @Test(arguments: ["005fc202e81ff0de9e654f77a9444d44fa2cac9de7caef43f6bbde1215921dee", "all"])
    func `A reset of a person gives the devices of the person their access, too`(key: String) async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        device.extra = [TemporaryIdentity.name: try TemporaryIdentity("viewer@example.org").headerValue]
        for resource in ["a", "b", "c"] {
            #expect(try device.decision(await device.authorize("PromoPass", resource))?.isAuthorized == true)
        }
        #expect(try device.decision(await device.authorize("PromoPass", "d"))?.isAuthorized == false)
        try simulation.simulator.restore(simulation.simulator.snapshot)
        let fields = try await simulation.resetFields()
        let generic = "/reset-tempass/v3/reset/generic?requestor_id=REF30&mvpd_id=PromoPass&key="
        #expect(await TestDevice.send(simulation.simulator, .delete, generic + "0a1b", fields, "").status == 204)
        #expect(await device.profile(with: "PromoPass").status == 403)
        #expect(await TestDevice.send(simulation.simulator, .delete, generic + key, fields, "").status == 204)
        #expect(await device.profile(with: "PromoPass").status == 200)
        #expect(try device.decision(await device.authorize("PromoPass", "d"))?.isAuthorized == true)
    }

    @Test(arguments: [
        ("reset", "", 400), ("reset", "?requestor_id=REF30", 400),
        ("reset", "?requestor_id=REF30&mvpd_id=SampleCable", 400),
        ("reset", "?requestor_id=REF40&mvpd_id=TempPass", 403), ("reset", "?requestor_id=REF99&mvpd_id=TempPass", 400),
        ("reset/generic", "?requestor_id=REF30&mvpd_id=PromoPass", 400),
        ("reset/generic", "?requestor_id=REF30&mvpd_id=TempPass&key=all", 400),
        ("reset", "?requestor_id=REF30&mvpd_id=TempPass", 204),
    ])
    func `A reset says whose access it is for`(path: String, query: String, status: Int) async throws {
        let simulation = try Simulation()
        let fields = try await simulation.resetFields()
        let target = "/reset-tempass/v3/\(path)\(query)"
        #expect(await TestDevice.send(simulation.simulator, .delete, target, fields, "").status == status)
        #expect(await TestDevice.send(simulation.simulator, .delete, target, [:], "").status == 401)
    }

    @Test(arguments: [
        "reset?requestor_id=REF30&mvpd_id=TempPass", "reset/generic?requestor_id=REF30&mvpd_id=PromoPass&key=all",
    ])
    func `A reset needs the scope of resets, and nothing else takes that scope`(target: String) async throws {
        let simulation = try Simulation()
        let (device, fields) = (try await simulation.device(), try await simulation.resetFields())
        let path = "/reset-tempass/v3/\(target)"
        let refused = await TestDevice.send(
            simulation.simulator, .delete, path, [BearerToken.name: device.token.headerValue], "")
        #expect(refused.status == 403 && refused.errorCode == .invalidAccessTokenClientApplication)
        #expect(await TestDevice.send(simulation.simulator, .delete, path, fields, "").status == 204)
        #expect(await device.configuration().status == 200)
        #expect(await device.get("/api/v2/REF30/profiles", device.fields().merging(fields) { $1 }).status == 401)
    }
}
#endif
