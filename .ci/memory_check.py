#!/usr/bin/env python3
"""Tests that a good key or token is never called bad because memory ran out: `tve` with libcrypto's allocations failing.

Usage: memory_check.py TOOL. Needs cc. Each run lets one allocation of libcrypto fail: the answer is then that of a run with
enough memory, or says `internal`.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE.parent / "Vectors" / "keys"
PRIVATE, PUBLIC = KEYS / "test-only-issuer-2048.pkcs8.pem", KEYS / "test-only-issuer-2048.spki.pem"
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t first, end;
static long wanted, count;
static void *(*real_malloc)(size_t);
static void *(*real_realloc)(void *, size_t);

static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libcrypto.so")) return 0;
    first = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t last = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && last > end) end = last;
    }
    return 0;
}

__attribute__((constructor)) static void start(void) {
    dl_iterate_phdr(visit, 0);
    wanted = atol(getenv("FAILING_ALLOCATION"));
}

__attribute__((destructor)) static void finish(void) {
    if (wanted == 0) fprintf(stderr, "allocations: %ld\n", count);
}

static int fails(void *caller) {
    if ((uintptr_t)caller < first || (uintptr_t)caller >= end) return 0;
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == wanted;
}

void *malloc(size_t size) {
    if (!real_malloc) real_malloc = dlsym(RTLD_NEXT, "malloc");
    if (fails(__builtin_return_address(0))) { errno = ENOMEM; return 0; }
    return real_malloc(size);
}

void *realloc(void *old, size_t size) {
    if (!real_realloc) real_realloc = dlsym(RTLD_NEXT, "realloc");
    if (fails(__builtin_return_address(0))) { errno = ENOMEM; return 0; }
    return real_realloc(old, size);
}
"""
# Before these, libcrypto sets itself up, and some versions do not survive a failure of that.
LAST = 600
STEP = 4


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "shim.c").write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True)
        issued = [tool, "issue", "media-token", "--key", PRIVATE, "--requestor", "R", "--resource", "C"]
        token = subprocess.run(issued, capture_output=True, check=True).stdout
        forged = subprocess.run([*issued, "--fault", "body-byte-changed"], capture_output=True, check=True).stdout
        value = subprocess.run(
            ["sh", "-c", f"printf 94105 | openssl pkeyutl -encrypt -pubin -inkey {PUBLIC} | base64 -w 0"],
            capture_output=True, check=True).stdout
        verify = ["verify", "-", "--keys", PUBLIC, "--requestor", "R", "--resource", "C", "--output", "json"]
        checks = (
            ("a good token", verify, token), ("a forged token", verify, forged),
            ("a value", ["decrypt", "-", "--keys", PRIVATE, "--output", "json"], value),
        )
        for name, arguments, given in checks:
            check(tool, folder / "shim.so", name, arguments, given)


def check(tool, shim, name, arguments, given):
    def run(failing):
        found = subprocess.run(
            [tool, *arguments], input=given, capture_output=True, timeout=60,
            env={"LD_PRELOAD": str(shim), "FAILING_ALLOCATION": str(failing), "PATH": "/usr/bin:/bin"})
        return found.returncode, found.stdout.decode() + found.stderr.decode()

    def code(text):
        return (re.findall(r'"code":"([^"]*)"', text) or ["none"])[0]

    exit_code, text = run(0)
    count = int(re.search(r"allocations: (\d+)", text)[1])
    right = (exit_code, code(text))
    assert exit_code in (0, 11), text
    seen = {}
    for failing in range(max(1, count - LAST), count + 1, STEP):
        exit_code, text = run(failing)
        answer = (exit_code, code(text))
        if answer != right and answer[1] != "internal":
            sys.exit(f"{name}, allocation {failing} of {count} failed: {answer} instead of {right} or internal\n{text}")
        seen[answer] = seen.get(answer, 0) + 1
    assert len(seen) > 1, f"{name}: no failing allocation changed anything"
    print(f"{name}: " + ", ".join(f"{number} times {answer[1]}" for answer, number in sorted(seen.items(), key=str)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
