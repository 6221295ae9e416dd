import EntitlementValues
import ServiceResponses
import TestVectors

// Every member of every answer, so that no field goes uncompared.

extension ConfigurationResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised { .message(["requestor": requestor.content], unknownFields) }
}

extension RequestorConfiguration {
    var content: Normalised {
        .message(
            [
                "id": id.content, "name": name?.content, "domains": .list(domains.map(\.content)),
                "mvpds": .list(mvpds.map(\.content)),
            ], unknownFields)
    }
}

extension ConfiguredDomain {
    var content: Normalised {
        .message(["name": name.content, "mvpdInitiated": isMVPDInitiated?.content], unknownFields)
    }
}

extension MVPD {
    var content: Normalised {
        .message(
            [
                "id": id.content, "displayName": displayName?.content, "logoUrl": logoURL?.content,
                "isTempPass": isTemporaryAccess?.content, "isProxy": isProxy?.content,
                "boardingStatus": boardingStatus?.content, "platformMappingId": platformMappingID?.content,
                "enablePlatformServices": enablesPlatformServices?.content,
                "displayInPlatformPicker": appearsInPlatformPicker?.content,
                "enforcePlatformPermissions": enforcesPlatformPermissions?.content,
                "authPerAggregator": authenticatesPerAggregator?.content,
                "passiveAuthnEnabled": allowsPassiveAuthentication?.content,
                "authPerBrowserSession": authenticatesPerBrowserSession?.content,
            ], unknownFields)
    }
}

extension SessionResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised {
        .message(
            [
                "actionName": actionName.content, "actionType": actionType.content, "reasonType": reason.content,
                "sessionId": sessionID.text.content, "serviceProvider": serviceProvider.content,
                "url": url?.content, "code": code?.text.content, "mvpd": mvpd?.content,
                "missingParameters": .list(missingParameters.map(\.content)), "notBefore": notBefore?.content,
                "notAfter": notAfter?.content, "authenticationRequest": authenticationRequest?.content,
            ], unknownFields)
    }
}

extension PartnerAuthenticationRequest {
    var content: Normalised {
        .message(
            [
                "type": type.content, "request": request.content, "xml": xml.map { .text($0) },
                "attributesNames": .texts(attributeNames),
            ], unknownFields)
    }
}

extension SessionStatusResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised {
        .message(
            [
                "existingParameters": existingParameters.content,
                "missingParameters": .list(missingParameters.map(\.content)), "device": device?.content,
                "notBefore": notBefore?.content, "notAfter": notAfter?.content,
            ], unknownFields)
    }
}

extension SessionParameters {
    var content: Normalised {
        .message(
            [
                "serviceProvider": serviceProvider.content, "mvpd": mvpd?.content, "domain": domain?.content,
                "redirectUrl": redirectURL?.content,
            ], unknownFields)
    }
}

extension SessionDevice {
    var content: Normalised {
        .message(
            [
                "type": type?.content, "model": model?.content, "version": version?.content,
                "hardware": hardware?.content, "operatingSystem": operatingSystem?.content,
                "browser": browser?.content, "display": display?.content, "applicationId": applicationID?.content,
                "connection": connection?.content,
            ], unknownFields)
    }
}

extension DeviceComponent {
    var content: Normalised {
        .message(
            [
                "name": name?.content, "family": family?.content, "vendor": vendor?.content,
                "manufacturer": manufacturer?.content, "version": version?.content,
            ], unknownFields)
    }
}

extension DeviceVersion {
    var content: Normalised {
        .message(
            [
                "major": major?.content, "minor": minor?.content, "patch": patch?.content,
                "profile": profile?.content,
            ], unknownFields)
    }
}

extension DeviceConnection {
    var content: Normalised {
        .message(
            [
                "ipAddress": address?.content, "port": port?.content, "secure": isSecure?.content,
                "type": type?.content,
            ], unknownFields)
    }
}

extension LogoutResponse: VectorMessage {
    var listedFaults: [ServiceResponseError] { faults }
    var totalFaults: Int { faultCount }

    var content: Normalised { .message(["logouts": .list(logouts.map(\.content))], unknownFields) }
}

extension LogoutStep {
    var content: Normalised {
        .message(
            [
                "key": key.content, "mvpd": mvpd?.content, "actionName": actionName.content,
                "actionType": actionType.content, "url": url?.content,
            ], unknownFields)
    }
}
