import HostSystem
import RowBatches
import Testing

@Suite struct ResponseRowsTests {
    private func rows(_ body: ResponseRows.Body, pseudonyms: Pseudonyms? = nil) throws -> DecryptRows {
        let values = try Encrypted.decrypter(pseudonyms: pseudonyms)
        return DecryptRows(
            format: ObjectRows(reader: ResponseRows(body: body, values: values)), limits: Encrypted.limits)
    }

    @Test func `An attribute gets a value of its type and another state`() async throws {
        let row = { (value: String, state: String) in
            "{\"attributes\":{\"zip\":{\"value\":\(value),\"state\":\"\(state)\"}}"
        }
        let output = try await rows(.profiles).output(for: row("\"\(Encrypted.value("77754"))\"", "enc") + "}")
        #expect(output == row("[\"77754\"]", "decrypted") + ",\(Encrypted.mark)}\n")
    }

    @Test func `One failed attribute does not keep the others encrypted`() async throws {
        let zip = try Encrypted.value("77754")
        let row = { (value: String, state: String) in
            "{\"attributes\":{\"zip\":{\"value\":\(value),\"state\":\"\(state)\"},\"a\":{\"value\":\"?\",\"state\":\"enc\"}}"
        }
        let output = try await rows(.profiles).output(for: row("\"\(zip)\"", "enc") + "}")
        let mark = "\"_tve\":{\"ok\":false,\"failures\":[{\"path\":\"attributes.a\",\"code\":\"not_base64\"}]}"
        #expect(output == row("[\"77754\"]", "decrypted") + ",\(mark)}\n")
    }

    @Test func `Plain attributes stay`() async throws {
        let row = "{\"attributes\":{\"zip\":{\"value\":[ \"1\" ],\"state\":\"plain\"}}}"
        #expect(try await rows(.profiles).output(for: row) == row.dropLast() + ",\"_tve\":{\"ok\":true}}\n")
    }

    @Test func `An attribute that an earlier run decrypted is not taken for a hash`() async throws {
        let key = WipedBytes(Array(repeating: 1, count: 32).span)
        let row = "{\"attributes\":{\"zip\":{\"value\":[\"1\"],\"state\":\"decrypted\"}}}"
        let lines = try await rows(.profiles, pseudonyms: Pseudonyms(key: key)).lines(for: row)
        #expect(lines.first?.contains("\"code\":\"already_decrypted\"") == true)
        #expect(try await rows(.profiles).lines(for: row).first?.contains("\"ok\":true") == true)
    }

    @Test func `Decrypted names are removed from the list`() async throws {
        let zip = try Encrypted.value("77754")
        let row = "{\"encrypted\":[\"zip\", \"gone\"],\"data\":{\"zip\":\"\(zip)\"}}"
        let mark = "\"_tve\":{\"ok\":false,\"failures\":[{\"path\":\"data.gone\",\"code\":\"missing_field\"}]}"
        let expected = "{\"encrypted\":[\"gone\"],\"data\":{\"zip\":[\"77754\"]},\(mark)}\n"
        #expect(try await rows(.userMetadata).output(for: row) == expected)
    }

    @Test(arguments: [ResponseRows.Body.profiles, .userMetadata])
    func `A body that is not the response stays as it is`(_ body: ResponseRows.Body) async throws {
        let lines = try await rows(body).lines(for: "{\"status\":401}\n[]\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("{\"status\":401,\"_tve\":{\"ok\":false,\"failures\":[{\"path\":"))
        #expect(lines[1].contains("\"code\":\"bad_row\""))
    }
}
