#define _GNU_SOURCE
#include "disk_record.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// Both sides read these as they lie in memory.
_Static_assert(sizeof(nj_disk_fault) == 28, "seven words");
_Static_assert(sizeof(nj_disk_record) == 32, "no room between the members");

// `hold` is a futex(2): 0, or one more than the syncs that still take their course.

void nj_disk_hold_syncs(nj_disk_fault *fault, uint32_t count) {
  __atomic_store_n(&fault->hold, count + 1, __ATOMIC_SEQ_CST);
}

void nj_disk_release_syncs(nj_disk_fault *fault) {
  __atomic_store_n(&fault->hold, 0, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &fault->hold, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t nj_disk_waiting_syncs(const nj_disk_fault *fault) {
  return __atomic_load_n(&fault->waiting, __ATOMIC_SEQ_CST);
}

void nj_disk_await_release(nj_disk_fault *fault) {
  uint32_t hold = __atomic_load_n(&fault->hold, __ATOMIC_SEQ_CST);
  while (hold > 1) {
    if (__atomic_compare_exchange_n(
            &fault->hold, &hold, hold - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return;
    }
  }
  if (hold == 0) return;
  __atomic_fetch_add(&fault->waiting, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&fault->hold, __ATOMIC_SEQ_CST)) {
    syscall(SYS_futex, &fault->hold, FUTEX_WAIT, 1, NULL, NULL, 0);
  }
  __atomic_fetch_sub(&fault->waiting, 1, __ATOMIC_SEQ_CST);
}
