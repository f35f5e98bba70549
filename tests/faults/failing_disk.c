/* A disk that fails: while the file exists that FAILING_DISK names, RocksDB's tables cannot be read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t (*reading)(int, void *, size_t, off_t);

static int fails(int file) {
  const char *on = getenv("FAILING_DISK");
  char link[64], path[4096];
  if (on == NULL || access(on, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 4) return 0;
  path[length] = 0;
  return strcmp(path + length - 4, ".sst") == 0;
}

static ssize_t read_at(const char *name, int file, void *into, size_t length, off_t from) {
  if (fails(file)) {
    errno = EIO;
    return -1;
  }
  return ((reading)dlsym(RTLD_NEXT, name))(file, into, length, from);
}

ssize_t pread(int file, void *into, size_t length, off_t from) { return read_at("pread", file, into, length, from); }

ssize_t pread64(int file, void *into, size_t length, off_t from) { return read_at("pread64", file, into, length, from); }
