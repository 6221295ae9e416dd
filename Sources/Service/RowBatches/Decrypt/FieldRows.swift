import EntitlementKeys
package import MetadataDecryption
import OpenSSLBridge
package import TextCodecs

/// Decrypts the single values of rows, and writes their texts as JSON.
package struct ValueDecrypter: Sendable {
    private let decrypter: MetadataDecrypter
    let form: PlainTextForm

    /// Makes a decrypter for the values of a batch.
    package init(decrypter: MetadataDecrypter, form: PlainTextForm) {
        self.decrypter = decrypter
        self.form = form
    }

    /// Decrypts a JSON string in the text of a row; returns the decrypted text, and the key that decrypted it.
    ///
    /// The attribute is that of the value, if known. The path is for the fault.
    func text(
        _ text: Span<UInt8>,
        _ value: JSONValue,
        of attribute: MetadataAttribute?,
        at path: String
    ) throws(FieldFault) -> DecryptedMetadata {
        // Values are long: only the few in which something is escaped are copied.
        if !value.hasEscapes { return try self.text(text.extracting(value.content), of: attribute, at: path) }
        // Half a surrogate pair is not Base64 either.
        let bytes = value.bytes(in: text) ?? [0]
        return try bytes.withSpan { bytes throws(FieldFault) in try self.text(bytes, of: attribute, at: path) }
    }

    /// Decrypts a value as it came, Base64; returns the decrypted text, and the key that decrypted it.
    ///
    /// The attribute is that of the value, if known. The path is for the fault.
    func text(
        _ value: Span<UInt8>,
        of attribute: MetadataAttribute?,
        at path: String
    ) throws(FieldFault) -> DecryptedMetadata {
        do throws(MetadataDecryptionError) {
            return try decrypter.decrypt(value, of: attribute)
        } catch {
            throw FieldFault(path: path, code: error.code, detail: error.description)
        }
    }

    /// Writes a text, and turns a failed hash into a fault of the field.
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

/// Rows of any shape with encrypted values in named fields.
///
/// Either all fields of a row are decrypted, or the row stays as it is.
package struct FieldRows: RowReader {
    private let fields: [FieldPath]
    private let attribute: MetadataAttribute?
    private let values: ValueDecrypter
    package let listsFaults = false

    /// Makes a reader for rows with encrypted fields.
    ///
    /// The attribute is that of all values; `nil` if each field is named after its attribute.
    package init(fields: [FieldPath], attribute: MetadataAttribute?, values: ValueDecrypter) {
        self.fields = fields
        self.attribute = attribute
        self.values = values
    }

    package func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits {
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
