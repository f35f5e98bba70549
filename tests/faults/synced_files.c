/* Notes what is synced to disk: into the file that SYNCED_FILES names, of all that lies under SYNCED_ROOT.
 *
 * "f <inode> <size>" for a file; "d <path>" and then one "e <inode> <name>" for each entry of a directory, and a last "."
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*syncing)(int);

static int lies_under_root(int file, char *path, size_t room) {
  const char *root = getenv("SYNCED_ROOT");
  char link[64];
  if (root == NULL || getenv("SYNCED_FILES") == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, room - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, root, strlen(root)) == 0;
}

/* What there is before the sync begins is on disk when it has ended; what comes meanwhile may be. */
static void describe(int file, const char *path, FILE *out) {
  struct stat found;
  if (fstat(file, &found) != 0) return;
  if (!S_ISDIR(found.st_mode)) {
    fprintf(out, "f %lu %ld\n", (unsigned long)found.st_ino, (long)found.st_size);
    return;
  }
  DIR *directory = opendir(path);
  if (directory == NULL) return;
  fprintf(out, "d %s\n", path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    fprintf(out, "e %lu %s\n", (unsigned long)entry->d_ino, entry->d_name);
  }
  fprintf(out, ".\n");
  closedir(directory);
}

static int synced(const char *name, int file) {
  syncing real = (syncing)dlsym(RTLD_NEXT, name);
  char path[4096];
  if (!lies_under_root(file, path, sizeof path)) return real(file);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  describe(file, path, out);
  fclose(out);
  int result = real(file);
  int journal = open(getenv("SYNCED_FILES"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (result == 0 && journal >= 0 && write(journal, text, length) < 0) result = -1;
  if (journal >= 0) close(journal);
  free(text);
  return result;
}

int fsync(int file) { return synced("fsync", file); }

int fdatasync(int file) { return synced("fdatasync", file); }
