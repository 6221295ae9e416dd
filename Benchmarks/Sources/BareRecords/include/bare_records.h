// What a program in C needs to read and change records in a SQLite file: no keys, no JSON, no threads.

#ifndef BARE_RECORDS_H
#define BARE_RECORDS_H

#include <stddef.h>

typedef struct bare_records bare_records;

/// Opens a new file with some records of a size; waits for the disk in each transaction if `full`. NULL if that fails.
bare_records *bare_records_open(const char *path, int full, int count, size_t size);
void bare_records_close(bare_records *records);

/// One transaction: reads the record of a number, changes it, and writes it under the next version. 1 if it was written.
int bare_records_change(bare_records *records, int number);

/// Writes the record of a number without reading it, in one statement. 1 if it was written.
int bare_records_write(bare_records *records, int number);

#endif
