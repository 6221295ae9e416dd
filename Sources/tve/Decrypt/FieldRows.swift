#if CLI
import TextCodecs
import EntitlementKeys
import MetadataDecryption
import OpenSSLBridge

/// Decrypts single values of rows.
struct ValueDecrypter: Sendable {
    let decrypter: MetadataDecrypter
    let form: PlainTextForm

    /// Decrypts a JSON string.
    ///
    /// - Throws: `FieldFault` where it cannot be decrypted.
    func text(
        _ text: Span<UInt8>,
        _ value: JSONValue,
        of attribute: MetadataAttribute?,
        at path: String
    ) throws(FieldFault) -> DecryptedMetadata {
        do throws(MetadataDecryptionError) {
            // Values are long: only the few in which something is escaped are copied.
            if !value.hasEscapes { return try decrypter.decrypt(text.extracting(value.content), of: attribute) }
            // Half a surrogate pair is no Base64 either.
            let ciphertext = value.bytes(in: text) ?? [0]
            return try decrypter.decrypt(ciphertext.span, of: attribute)
        } catch {
            throw FieldFault(path: path, code: error.code, detail: error.description)
        }
    }

    /// Writes a text, with the failure of a hash as a fault of the field.
    func written(
        at path: String,
        _ write: (PlainTextForm) throws(OpenSSLFailure) -> [UInt8]
    ) throws(FieldFault) -> [UInt8] {
        do throws(OpenSSLFailure) {
            return try write(form)
        } catch {
            throw FieldFault(path: path, code: "internal", detail: error.description)
        }
    }
}

/// Rows of any shape, in which some fields hold encrypted values.
///
/// A row is decrypted as a whole or not at all.
struct FieldRows: RowReader {
    let fields: [FieldPath]
    /// What all values are of; `nil` where the fields have the names of their attributes.
    let attribute: MetadataAttribute?
    let values: ValueDecrypter
    let listsFaults = false

    func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits {
        var row = try RowEdits(text)
        for path in fields {
            do throws(FieldFault) {
                try decrypt(path, text, in: &row)
            } catch {
                var fault = error
                fault.field = path.text
                row.giveUp(fault)
                break
            }
        }
        return row
    }

    private func decrypt(_ path: FieldPath, _ text: Span<UInt8>, in row: inout RowEdits) throws(FieldFault) {
        for field in try path.strings(in: row.members, text) {
            let plain = try values.text(text, field.value, of: attribute ?? field.attribute, at: field.path)
            let written = try values.written(at: field.path) { form throws(OpenSSLFailure) in
                try form.json(plain.text)
            }
            row.replace(field.value.range, by: written)
            row.note(key: plain.key.label)
        }
    }
}
#endif
