#if CLI
import ArgumentParser

/// The article on rows, which `tve help rows` prints.
struct RowsTopic: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows",
        abstract: "Describe the rows that verify --batch and decrypt --batch read and write.",
        discussion: """
            Rows are JSON objects, one per line, in UTF-8. Every line is answered by one line, in the same order; so \
            is a line that is not a JSON object, even a blank one, with the code bad_row. A summary in JSON is the last \
            line on standard error; its rows are those whose answers were written. SIGTERM and \
            Ctrl-C end the reading; the rows that were read are still answered. --skip-rows passes over the first rows, \
            which an earlier run has answered, and writes no header.

            VERIFY

            In:  {"id": any, "token": "…", "requestor": "…" or null,
                  "resource": "…" or null, "at": epoch ms, "leeway": ms}

            null means unchecked. id, at and leeway may be left out; other members are ignored. at counts milliseconds \
            since 1970: one before September 2001 can only be in seconds, and makes the row a bad_row. A line has at \
            most 1 MiB.

            Out: {"id": any, "valid": true, "status": "VALID_TOKEN",
                  "code": "valid", "detail": "…", "claims": {…}, "key": "…"}

            claims and key are there if the signature is good. Times in claims are milliseconds. With --redeem, the \
            first of two rows with the same token is valid, and the second is replayed. If the store does not answer, \
            the token is refused with the code store_unavailable.

            A row that could not be read has the code bad_row, and its number in "line".

            DECRYPT: --input rows

            Each --field is replaced by its text, and the member "_tve" is added at the end; everything else stays \
            byte for byte. A field is a name, or several separated by dots. A number selects an element of an array, \
            and * all elements or members. A backslash before a dot or star makes it part of a name.

            Good:    "_tve": {"ok": true, "key": "…"}
            Failed:  "_tve": {"ok": false, "code": "…", "field": "…"}
            Not an object:
              {"_tve": {"ok": false, "code": "bad_row", "detail": "…",
                        "line": 7, "raw": "the line"}}

            A failed row stays unchanged except for "_tve". raw_base64 replaces raw if the line is not text. A line \
            has at most 16 MiB.

            --optional-field is for fields that a row may lack, or hold null or "" in: such a row stays as it is, and \
            counts as decrypted.

            With --resume, a row whose "_tve" has "ok": true (in csv and tsv: ok) stays as it is.

            DECRYPT: --input csv or tsv

            Values separated by commas or tabs, or by another --delimiter, under a header with the names of columns. Texts \
            take the places of the values in the columns named by --field and --optional-field (where the header may lack \
            some of the columns but not all, and a row the value). All other values stay byte for byte. A last column \
            "_tve" is added: ok, or the code of the failure. A line that is not a record of the header, or not UTF-8, is \
            answered by one whose first value is that line with its bytes as they came, with the code bad_row. "line" \
            counts records, and the header is 1.

            --quoting says how values are quoted, and texts are written in the same way:

            csv        in quotation marks, which are doubled in the value (RFC 4180);
                       a value may then contain separators and line ends
            backslash  the same with \\" and \\\\ in the value, as Spark and Hive write
            none       never: quotation marks are text. \\t \\n \\r \\b \\0 are control
                       characters, \\N alone is null, and any other byte after a
                       backslash is part of the value, also a separator or line end
                       (PostgreSQL's COPY, mysql --batch, Hive's ESCAPED BY)

            Each --null names one text: --null NULL --null '\\N'. A value that is such a text, with or without quotation marks, is absent. In a column of \
            --optional-field it counts as an empty one does, and goes out as it came; in one of --field the row fails \
            with missing_field. A decrypted text that is the same goes out in quotation marks, if there are any.

            One quotation mark too many, or with --quoting none a backslash at the end of a line, makes the lines after \
            it part of a value. So each line of a bad record counts as a failed row, "lines" in the summary counts the \
            lines of the input below the header, and standard error says in which line such a record begins. A record is \
            bad, too, if a line of it has an encrypted value of its own. The run ends with 2:

            - if the input ends within quotation marks;
            - if a record of several lines is bad;
            - if a good record has lines that look like rows: as many values as
              the header, and in the columns to decrypt encrypted values or none;
            - if a good record takes more than 1000 lines, unless --quoting is given.

            All but the first are allowed for by a --max-failures that is not less than the lines that may be lost rows, \
            together with the failed rows; standard error names the number. Give it if such values are meant. What is not \
            noticed: rows without an encrypted value within a text of several lines with commas.

            DECRYPT: --input profiles or usermetadata

            A line is a response body of a service, of at most 8 MiB. profiles takes a REST v2 body, or one profile: \
            the value of each attribute with the state enc is replaced by a value of the attribute's own type, and its \
            state becomes decrypted, or pseudonymised. usermetadata takes a REST v1 body, and removes the names of \
            decrypted attributes from the list "encrypted". Each attribute succeeds or fails on its own.

            Failed:  "_tve": {"ok": false, "failures": [{"path": "…",
                     "code": "…"}]}

            CODES OF FAILED VALUES

            undecryptable (wrong key, or damaged), not_base64, wrong_length (another key size, or cut off), is_jwe, \
            foreign_scheme, missing_field, not_a_string, unknown_state, encrypted_not_text, already_decrypted (with \
            --pseudonymise), internal.

            PSEUDONYMS

            --pseudonymise FILE writes HMAC-SHA-256 of each text, in hexadecimal, with the bytes of the file as the \
            key. The text is hashed as it is: 90210 and ["90210"] have different hashes. With --parse, or with bodies \
            of a service, the elements of a list are hashed one by one. Values that came unencrypted stay as they are. \
            An attribute that an earlier run decrypted is a failure, so that plain text never passes for a hash.
            """
    )

    func run() throws {
        try Console.write(TVE.helpMessage(for: RowsTopic.self) + "\n")
    }
}
#endif
