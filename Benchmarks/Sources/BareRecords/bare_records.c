#include "bare_records.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct bare_records {
    sqlite3 *connection;
    sqlite3_stmt *begin, *commit, *read, *write, *blind;
    unsigned char *body;
    size_t size;
};

// Keys of 32 bytes that are spread like hashes.
static void make_key(int number, unsigned char key[32]) {
    unsigned long long state = (unsigned long long)number * 0x9E3779B97F4A7C15ull + 0x123456789ABCDEF1ull;
    for (int place = 0; place < 32; place++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        key[place] = (unsigned char)(state >> 24);
    }
}

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

static int prepare(bare_records *records, const char *text, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(records->connection, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK;
}

static int fill(bare_records *records, int count) {
    sqlite3_stmt *insert = NULL;
    if (!prepare(records, "INSERT INTO record (key, version, body) VALUES (?1, 1, ?2)", &insert)) return 0;
    int is_done = run(records->begin);
    for (int number = 0; number < count && is_done; number++) {
        unsigned char key[32];
        make_key(number, key);
        sqlite3_bind_blob(insert, 1, key, 32, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 2, records->body, (int)records->size, SQLITE_STATIC);
        is_done = run(insert);
    }
    sqlite3_finalize(insert);
    return is_done && run(records->commit);
}

bare_records *bare_records_open(const char *path, int full, int count, size_t size) {
    bare_records *records = calloc(1, sizeof *records);
    if (!records) return NULL;
    records->size = size;
    records->body = calloc(1, size);
    const char *settings = full
        ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000"
        : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000";
    const char *table = "CREATE TABLE record (key BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, body BLOB NOT NULL) STRICT";
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (records->body && sqlite3_open_v2(path, &records->connection, flags, NULL) == SQLITE_OK
        && sqlite3_exec(records->connection, settings, NULL, NULL, NULL) == SQLITE_OK
        && sqlite3_exec(records->connection, table, NULL, NULL, NULL) == SQLITE_OK
        && prepare(records, "BEGIN IMMEDIATE", &records->begin) && prepare(records, "COMMIT", &records->commit)
        && prepare(records, "SELECT version, body FROM record WHERE key = ?1", &records->read)
        && prepare(records, "UPDATE record SET version = ?2 + 1, body = ?3 WHERE key = ?1 AND version = ?2", &records->write)
        && prepare(records, "UPDATE record SET version = version + 1, body = ?2 WHERE key = ?1", &records->blind)
        && fill(records, count))
        return records;
    bare_records_close(records);
    return NULL;
}

void bare_records_close(bare_records *records) {
    sqlite3_finalize(records->begin);
    sqlite3_finalize(records->commit);
    sqlite3_finalize(records->read);
    sqlite3_finalize(records->write);
    sqlite3_finalize(records->blind);
    sqlite3_close(records->connection);
    free(records->body);
    free(records);
}

int bare_records_change(bare_records *records, int number) {
    unsigned char key[32];
    make_key(number, key);
    if (!run(records->begin)) return 0;
    sqlite3_bind_blob(records->read, 1, key, 32, SQLITE_STATIC);
    int is_read = sqlite3_step(records->read) == SQLITE_ROW
        && (size_t)sqlite3_column_bytes(records->read, 1) == records->size;
    sqlite3_int64 version = 0;
    if (is_read) {
        version = sqlite3_column_int64(records->read, 0);
        memcpy(records->body, sqlite3_column_blob(records->read, 1), records->size);
    }
    sqlite3_reset(records->read);
    records->body[version % (sqlite3_int64)records->size] ^= 1;
    sqlite3_bind_blob(records->write, 1, key, 32, SQLITE_STATIC);
    sqlite3_bind_int64(records->write, 2, version);
    sqlite3_bind_blob(records->write, 3, records->body, (int)records->size, SQLITE_STATIC);
    int is_written = is_read && run(records->write) && sqlite3_changes(records->connection) == 1;
    return run(records->commit) && is_written;
}

int bare_records_write(bare_records *records, int number) {
    unsigned char key[32];
    make_key(number, key);
    records->body[number % (int)records->size] ^= 1;
    sqlite3_bind_blob(records->blind, 1, key, 32, SQLITE_STATIC);
    sqlite3_bind_blob(records->blind, 2, records->body, (int)records->size, SQLITE_STATIC);
    return run(records->blind) && sqlite3_changes(records->connection) == 1;
}
