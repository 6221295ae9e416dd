import BrokerMessages
import EntitlementValues
import ServiceResponses
import TestVectors

// Registration, errors, and as much of profiles and decisions as the vectors of messages have.

extension ClientCredentials: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }

    var content: Normalised {
        .message(
            [
                "client_id": clientID.content, "client_secret": clientSecret.content,
                "client_id_issued_at": issuedAt?.content, "redirect_uris": .texts(redirectURIs),
                "grant_types": .list(grantTypes.map(\.content)), "scopes": .list(scopes.map(\.content)),
            ], unknownFields)
    }
}

extension AccessToken: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }

    var content: Normalised {
        .message(
            [
                "id": id?.content, "access_token": bearer.text.content, "created_at": createdAt.content,
                "expires_in": .integer(lifetime.milliseconds / 1000), "token_type": type?.content,
                "expires": expires.content,
            ], unknownFields)
    }
}

extension RegistrationError: VectorMessage {
    var listedFaults: [ServiceResponseError] { [] }

    var content: Normalised {
        .message(
            [
                "error": error.content, "error_description": errorDescription?.content,
                "error_uri": errorURI?.content,
            ], unknownFields)
    }
}

extension EnhancedError: VectorMessage {
    var listedFaults: [ServiceResponseError] { [] }

    var content: Normalised {
        .message(
            [
                "action": action?.content, "status": status.map { .integer(Int64($0)) }, "code": code?.content,
                "message": message?.content, "details": details?.content, "helpUrl": helpURL?.content,
                "trace": trace?.content,
            ], unknownFields)
    }
}

extension ProfilesResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised { .message(["profiles": .list(profiles.map(\.content))], unknownFields) }
}

extension Profile {
    var content: Normalised {
        .message(
            [
                "mvpd": mvpd.content, "notBefore": notBefore.content, "notAfter": notAfter.content,
                "issuer": issuer?.content, "type": type?.content,
                "attributes": .list(attributes.entries.map(\.content)),
            ], unknownFields)
    }
}

extension UserMetadataEntry {
    var content: Normalised {
        var members: [String: Normalised?] = [
            "name": name.content, "error": errorCode?.content, "value": json?.text.content,
        ]
        if case .failure(let error) = value, errorCode == nil { members["fault"] = error.code.content }
        return .message(members, unknownFields)
    }
}

extension DecisionsResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised { .message(["decisions": .list(decisions.map(\.content))], unknownFields) }
}

extension Decision {
    var content: Normalised {
        .message(
            [
                "resource": resource.content, "serviceProvider": serviceProvider.content, "mvpd": mvpd.content,
                "authorized": isAuthorized.content, "source": source?.content, "error": error?.content,
            ], unknownFields)
    }
}
