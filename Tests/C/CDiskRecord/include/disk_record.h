// What a preloaded disk (../../FaultyDisk.c) and the program that sets it share: which calls are to fail, and
// the log of what was written.
#pragma once

#include <stdint.h>

/// Which calls fail, as bits.
enum {
  NJ_DISK_OPEN = 1 << 0,
  NJ_DISK_READ = 1 << 1,
  NJ_DISK_WRITE = 1 << 2,
  NJ_DISK_SYNC = 1 << 3,
  NJ_DISK_RENAME = 1 << 4,
  NJ_DISK_TRUNCATE = 1 << 5,
  NJ_DISK_UNLINK = 1 << 6,
  NJ_DISK_MAP = 1 << 7,
};

/// The next `skip` of these calls succeed, then `count` of them fail with `error`. A write that fails
/// with ENOSPC writes the first half of its bytes before.
typedef struct {
  uint32_t calls;
  int32_t error;
  int32_t skip;
  /// Written last. 0: no more calls fail.
  int32_t count;
  /// How many calls have failed.
  uint32_t failed;
  /// Syncs that are held, as below.
  uint32_t hold;
  /// How many syncs wait.
  uint32_t waiting;
} nj_disk_fault;

/// From now on `count` syncs take their course, and those behind them wait.
void nj_disk_hold_syncs(nj_disk_fault *fault, uint32_t count);
/// The syncs that wait take their course, and so do all behind them.
void nj_disk_release_syncs(nj_disk_fault *fault);
/// How many syncs wait.
uint32_t nj_disk_waiting_syncs(const nj_disk_fault *fault);
/// The disk's own side, before a sync: waits while it is held.
void nj_disk_await_release(nj_disk_fault *fault);

/// What a record of the log is about.
enum {
  /// A process began.
  NJ_DISK_BEGUN = 1,
  /// `name` was created, as the file `inode`.
  NJ_DISK_CREATED = 2,
  /// `payload` was written to `inode` at `offset`.
  NJ_DISK_WRITTEN = 3,
  /// `inode` has now `offset` bytes.
  NJ_DISK_TRUNCATED = 4,
  /// `inode` was synced; `result` is the errno. `inode` 0: the folder itself was.
  NJ_DISK_SYNCED = 5,
  /// `name` is now called what the payload says.
  NJ_DISK_RENAMED = 6,
  /// `name` was removed.
  NJ_DISK_UNLINKED = 7,
  /// `payload` was sent to a client.
  NJ_DISK_SENT = 8,
};

/// The head of a record; `name_bytes` of a name and `payload_bytes` of payload follow. Names are
/// relative to the folder.
typedef struct {
  uint32_t kind;
  int32_t result;
  uint32_t name_bytes;
  uint32_t payload_bytes;
  uint64_t inode;
  uint64_t offset;
} nj_disk_record;
