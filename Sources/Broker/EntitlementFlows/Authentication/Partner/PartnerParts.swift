#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension PartnerFrameworkStatus {
    /// Whether the partner knows the user's provider, and its sign-on has not ended.
    func namesProvider(at now: Timestamp) -> Bool {
        guard let id = provider.mappingID, !id.isEmpty, let end = provider.expires else { return false }
        return now < end
    }
}

extension ProviderList {
    /// What the partner's picker shows: by the partner's own identifiers, and only providers that it supports.
    func partnerPick(filteredBy filter: ProviderFilter?) -> PartnerPick {
        func mappingIDs(of ids: [MVPDID]) -> [String] {
            ids.compactMap { id in self[id].flatMap { $0.isInPartnerPicker ? $0.platformMappingID : nil } }
        }
        return PartnerPick(
            supporting: mappingIDs(of: filter?.supported ?? mvpds.map(\.id)),
            featuring: mappingIDs(of: filter?.featured ?? []))
    }
}

extension MVPD {
    fileprivate var isInPartnerPicker: Bool {
        appearsInPlatformPicker == true && enablesPlatformServices == true && platformMappingID?.isEmpty == false
    }
}

extension PartnerResponse {
    /// The request that makes a profile of the answer: the text is XML, or Base64 of it.
    var request: PartnerProfileRequest {
        get throws(EntitlementFlowError) {
            let isXML = text.first { !$0.isWhitespace } == "<"
            do throws(BrokerRequestError) {
                return isXML ? try PartnerProfileRequest(samlXML: text) : try PartnerProfileRequest(samlResponse: text)
            } catch {
                throw .unsupported(.malformedResponse)
            }
        }
    }
}
#endif
