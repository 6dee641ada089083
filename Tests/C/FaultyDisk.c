// A disk that fails on request, and that keeps a log of what was written to it, for one process: preloaded
// (LD_PRELOAD), this library stands between a daemon and its state folder. All that it does is about files
// below $NIGHTJAR_TEST_DISK_FOLDER; everything else goes to the kernel as it is.
//
// $NIGHTJAR_TEST_DISK_LOG: a file to which a record of every write, truncation, sync, creation, rename and
// removal is appended, in the order in which they took effect, and of every message that was sent on a
// UNIX stream socket: so a reader knows what clients had been told at each point.
//
// $NIGHTJAR_TEST_DISK_FAULT: a file of one nj_disk_fault, which a test maps and changes while the daemon
// runs.
//
// $NIGHTJAR_TEST_DISK_SABOTAGE=unsynced: fsync and fdatasync say that all is well and do nothing. This
// imitates a daemon that acknowledges a change before its commit is durable.
#define _GNU_SOURCE
#include "CDiskRecord/disk_record.c"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kernel is called directly: looking up glibc's own functions would take the loader's lock, perhaps
// before it is there.

enum { DESCRIPTORS = 4096 };

/// What a descriptor is open for.
enum { FOREIGN = 0, FILE_BELOW, FOLDER_ITSELF };

// One lock around each call and its record: the log is in the order in which calls took effect.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char kinds[DESCRIPTORS];
static const char *folder;
static size_t folder_bytes;
static int log_file = -1;
static nj_disk_fault *fault;
static bool syncs_are_skipped;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("NIGHTJAR_TEST_DISK_FOLDER");
  if (!folder) return;
  folder_bytes = strlen(folder);
  const char *sabotage = getenv("NIGHTJAR_TEST_DISK_SABOTAGE");
  syncs_are_skipped = sabotage && strcmp(sabotage, "unsynced") == 0;
  const char *path = getenv("NIGHTJAR_TEST_DISK_LOG");
  if (path) {
    log_file = (int)syscall(
        SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log_file < 0) abort();
  }
  path = getenv("NIGHTJAR_TEST_DISK_FAULT");
  if (path) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) abort();
    void *bytes = (void *)syscall(
        SYS_mmap, NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)0);
    if (bytes == MAP_FAILED) abort();
    fault = bytes;
    syscall(SYS_close, file);
  }
}

// Helpers, called with the lock held

static void record(
    uint32_t kind, int result, const char *name, uint64_t inode, uint64_t offset,
    const void *payload, size_t count) {
  if (log_file < 0) return;
  static bool has_begun;
  if (!has_begun) {
    has_begun = true;
    record(NJ_DISK_BEGUN, 0, NULL, 0, 0, NULL, 0);
  }
  int before = errno;
  nj_disk_record head = {
      .kind = kind, .result = result, .name_bytes = name ? (uint32_t)strlen(name) : 0,
      .payload_bytes = (uint32_t)count, .inode = inode, .offset = offset};
  struct iovec parts[3] = {
      {&head, sizeof head}, {(void *)name, head.name_bytes}, {(void *)payload, count}};
  ssize_t want = (ssize_t)(sizeof head + head.name_bytes + count);
  // A log with a hole in it would be believed.
  if (syscall(SYS_writev, log_file, parts, 3) != want) abort();
  errno = before;
}

/// The name below the folder, or NULL.
static const char *name_below(const char *path) {
  if (!folder || !path || strncmp(path, folder, folder_bytes) != 0) return NULL;
  return path[folder_bytes] == '/' && path[folder_bytes + 1] ? path + folder_bytes + 1 : NULL;
}

static int kind_of(int fd) { return fd >= 0 && fd < DESCRIPTORS ? kinds[fd] : FOREIGN; }

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static bool fails(uint32_t call) {
  if (!fault || __atomic_load_n(&fault->count, __ATOMIC_SEQ_CST) <= 0) return false;
  if (!(fault->calls & call)) return false;
  if (fault->skip > 0) {
    fault->skip -= 1;
    return false;
  }
  fault->count -= 1;
  fault->failed += 1;
  errno = fault->error;
  return true;
}

// Opening and closing

static int open_below(int at, const char *path, int flags, mode_t mode) {
  const char *name = name_below(path);
  bool is_folder = folder && path && strcmp(path, folder) == 0;
  if (!name && !is_folder) return (int)syscall(SYS_openat, at, path, flags, mode);
  pthread_mutex_lock(&lock);
  int fd = -1;
  if (!fails(NJ_DISK_OPEN)) {
    bool was_there = name && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
    fd = (int)syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && fd < DESCRIPTORS) kinds[fd] = is_folder ? FOLDER_ITSELF : FILE_BELOW;
    if (fd >= 0 && name && !was_there) record(NJ_DISK_CREATED, 0, name, inode_of(fd), 0, NULL, 0);
    if (fd >= 0 && name && was_there && flags & O_TRUNC) {
      record(NJ_DISK_TRUNCATED, 0, NULL, inode_of(fd), 0, NULL, 0);
    }
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static mode_t mode_in(int flags, va_list rest) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(NAME)                                       \
  int NAME(const char *path, int flags, ...) {           \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    mode_t mode = mode_in(flags, rest);                  \
    va_end(rest);                                        \
    return open_below(AT_FDCWD, path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(NAME)                                     \
  int NAME(int at, const char *path, int flags, ...) {   \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    mode_t mode = mode_in(flags, rest);                  \
    va_end(rest);                                        \
    return open_below(at, path, flags, mode);            \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  if (kind_of(fd) == FOREIGN) return (int)syscall(SYS_close, fd);
  pthread_mutex_lock(&lock);
  kinds[fd] = FOREIGN;
  int result = (int)syscall(SYS_close, fd);
  pthread_mutex_unlock(&lock);
  return result;
}

// Reading

ssize_t read(int fd, void *bytes, size_t count) {
  if (kind_of(fd) == FOREIGN) return syscall(SYS_read, fd, bytes, count);
  pthread_mutex_lock(&lock);
  ssize_t result = fails(NJ_DISK_READ) ? -1 : syscall(SYS_read, fd, bytes, count);
  pthread_mutex_unlock(&lock);
  return result;
}

static ssize_t read_at(int fd, void *bytes, size_t count, off_t offset) {
  if (kind_of(fd) == FOREIGN) return syscall(SYS_pread64, fd, bytes, count, offset);
  pthread_mutex_lock(&lock);
  ssize_t result = fails(NJ_DISK_READ) ? -1 : syscall(SYS_pread64, fd, bytes, count, offset);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
  return read_at(fd, bytes, count, offset);
}

ssize_t pread64(int fd, void *bytes, size_t count, off_t offset) {
  return read_at(fd, bytes, count, offset);
}

// Writing

static ssize_t write_at(int fd, const void *bytes, size_t count, off_t offset) {
  if (kind_of(fd) == FOREIGN) return syscall(SYS_pwrite64, fd, bytes, count, offset);
  pthread_mutex_lock(&lock);
  bool has_failed = fails(NJ_DISK_WRITE);
  int error = errno;
  size_t part = has_failed ? (error == ENOSPC ? count / 2 : 0) : count;
  ssize_t result = has_failed && !part ? 0 : syscall(SYS_pwrite64, fd, bytes, part, offset);
  if (result > 0) {
    record(NJ_DISK_WRITTEN, 0, NULL, inode_of(fd), (uint64_t)offset, bytes, (size_t)result);
  }
  if (has_failed) {
    errno = error;
    result = -1;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return write_at(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  return write_at(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (kind_of(fd) == FOREIGN) return syscall(SYS_write, fd, bytes, count);
  bool appends = fcntl(fd, F_GETFL) & O_APPEND;
  off_t at = lseek(fd, 0, appends ? SEEK_END : SEEK_CUR);
  // pwrite(2) on a descriptor with O_APPEND appends, whatever the offset.
  ssize_t result = write_at(fd, bytes, count, at);
  if (result > 0) lseek(fd, at + result, SEEK_SET);
  return result;
}

static int truncate_to(int fd, off_t bytes) {
  if (kind_of(fd) == FOREIGN) return (int)syscall(SYS_ftruncate, fd, bytes);
  pthread_mutex_lock(&lock);
  int result = fails(NJ_DISK_TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
  if (result == 0) {
    record(NJ_DISK_TRUNCATED, 0, NULL, inode_of(fd), (uint64_t)bytes, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t bytes) { return truncate_to(fd, bytes); }
int ftruncate64(int fd, off_t bytes) { return truncate_to(fd, bytes); }

// Copies are found out from what the target has afterwards.
ssize_t copy_file_range(
    int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags) {
  if (kind_of(to) == FOREIGN) {
    return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags);
  }
  pthread_mutex_lock(&lock);
  off_t at = to_offset ? *to_offset : lseek(to, 0, SEEK_CUR);
  ssize_t result = fails(NJ_DISK_WRITE)
      ? -1
      : syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags);
  char bytes[65536];
  for (ssize_t done = 0; done < result;) {
    size_t most = (size_t)(result - done) < sizeof bytes ? (size_t)(result - done) : sizeof bytes;
    ssize_t part = syscall(SYS_pread64, to, bytes, most, at + done);
    if (part <= 0) break;
    record(NJ_DISK_WRITTEN, 0, NULL, inode_of(to), (uint64_t)(at + done), bytes, (size_t)part);
    done += part;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

// Syncing

static int synced(int fd, long number) {
  if (kind_of(fd) == FOREIGN) return (int)syscall(number, fd);
  if (fault) nj_disk_await_release(fault);
  pthread_mutex_lock(&lock);
  int result = 0;
  if (!syncs_are_skipped) {
    result = fails(NJ_DISK_SYNC) ? -1 : (int)syscall(number, fd);
    uint64_t inode = kind_of(fd) == FOLDER_ITSELF ? 0 : inode_of(fd);
    record(NJ_DISK_SYNCED, result == 0 ? 0 : errno, NULL, inode, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

// Names

int rename(const char *from, const char *to) {
  const char *name = name_below(from);
  const char *target = name_below(to);
  if (!name || !target) return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_lock(&lock);
  int result = fails(NJ_DISK_RENAME)
      ? -1
      : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0) record(NJ_DISK_RENAMED, 0, name, 0, 0, target, strlen(target));
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) {
  const char *name = name_below(path);
  if (!name) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_lock(&lock);
  int result = fails(NJ_DISK_UNLINK) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0) record(NJ_DISK_UNLINKED, 0, name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

// Mapping a file of the folder fails; memory does not.

static void *mapped(void *at, size_t count, int access, int flags, int fd, off_t offset) {
  if (flags & MAP_ANONYMOUS || kind_of(fd) == FOREIGN) {
    return (void *)syscall(SYS_mmap, at, count, access, flags, fd, offset);
  }
  pthread_mutex_lock(&lock);
  void *result = fails(NJ_DISK_MAP)
      ? MAP_FAILED
      : (void *)syscall(SYS_mmap, at, count, access, flags, fd, offset);
  pthread_mutex_unlock(&lock);
  return result;
}

void *mmap(void *at, size_t count, int access, int flags, int fd, off_t offset) {
  return mapped(at, count, access, flags, fd, offset);
}

void *mmap64(void *at, size_t count, int access, int flags, int fd, off_t offset) {
  return mapped(at, count, access, flags, fd, offset);
}

// What clients are told

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
  if (log_file < 0) return syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
  pthread_mutex_lock(&lock);
  ssize_t result = syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
  int kind = 0;
  socklen_t size = sizeof kind;
  int before = errno;
  if (result > 0 && getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
      && kind == SOCK_STREAM) {
    record(NJ_DISK_SENT, 0, NULL, (uint64_t)fd, 0, bytes, (size_t)result);
  }
  errno = before;
  pthread_mutex_unlock(&lock);
  return result;
}
