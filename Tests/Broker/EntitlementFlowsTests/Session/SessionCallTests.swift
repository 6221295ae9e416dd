#if Client
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Testing

@Suite("A call of a session")
struct SessionCallTests {
    @Test func `What the partner says in a call counts for more than what the record has, which counts until its end`()
        throws
    {
        let now = Timestamp(milliseconds: 1_780_000_000_000)
        let (granted, denied): (PartnerFrameworkStatus, PartnerFrameworkStatus) = (
            try PartnerFrameworkStatus(permission: .init(.granted), provider: .init(mappingID: "sample-satellite")),
            try PartnerFrameworkStatus(permission: .init(.denied), provider: .init())
        )
        var options = SessionOptions()
        let info = try DeviceInfo([.model: "Model"])
        let silent = SessionCall(for: "REF30", in: CallContext(session: "me", options: options, info: info))
        options.partnerStatus = denied
        let stating = SessionCall(for: "REF30", in: CallContext(session: "me", options: options, info: info))
        var record = RequestorRecord()
        #expect(silent.partnerStatus(in: record, at: now) == nil)
        record.adopt(PartnerStatusHint(granted, said: now, until: now + .hours(1)))
        #expect(silent.partnerStatus(in: record, at: now + .minutes(59)) == granted)
        #expect(silent.partnerStatus(in: record, at: now + .hours(1)) == nil)
        #expect(stating.partnerStatus(in: record, at: now) == denied)
        #expect(stating.partnerStatus(in: RequestorRecord(), at: now + .hours(1)) == denied)
    }
}
#endif
