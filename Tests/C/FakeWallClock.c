// A wall clock that tests can set, for one process: preloaded (LD_PRELOAD), this library adds the
// whole seconds written in the file $NIGHTJAR_TEST_WALL_CLOCK to CLOCK_REALTIME, and a second
// number, if there is one, to CLOCK_BOOTTIME, as if the machine had slept for so long. The other
// clocks, and all timers, go as they go, so what is set on CLOCK_BOOTTIME from then on is late by
// that: libfaketime shifts timerfds on CLOCK_MONOTONIC as well, which the kernel then refuses on a
// machine that has not been up for as long as the shift.
//
// With `at` and three numbers in the file, all three clocks stand still at these microseconds: a program
// that reads them shows the same at every run.
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

struct fake {
  long wall, boottime, vouched;
  /// The clocks stand still, at these microseconds.
  bool stopped;
  long readings[3];
};

/// What stands in the file: the seconds by which REALTIME and BOOTTIME are off, and whether the kernel
/// vouches for the wall clock: 1 if it does, -1 if it does not, 0 as it is. Or `at`, and what REALTIME,
/// BOOTTIME and MONOTONIC read.
static struct fake read_fake(void) {
  struct fake fake = {0};
  const char *path = getenv("NIGHTJAR_TEST_WALL_CLOCK");
  char text[96] = {0};
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return fake;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return fake;
  char *rest;
  if (strncmp(text, "at ", 3) == 0) {
    fake.stopped = true;
    rest = text + 3;
    for (int clock = 0; clock < 3; clock++) fake.readings[clock] = strtol(rest, &rest, 10);
    return fake;
  }
  fake.wall = strtol(text, &rest, 10);
  fake.boottime = strtol(rest, &rest, 10);
  fake.vouched = strtol(rest, NULL, 10);
  return fake;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  bool is_faked = clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC;
  if (result != 0 || !is_faked) return result;
  struct fake fake = read_fake();
  if (fake.stopped) {
    long usec = fake.readings[clock == CLOCK_REALTIME ? 0 : clock == CLOCK_BOOTTIME ? 1 : 2];
    *time = (struct timespec){.tv_sec = usec / 1000000, .tv_nsec = usec % 1000000 * 1000};
    return result;
  }
  if (clock == CLOCK_REALTIME) time->tv_sec += fake.wall;
  if (clock == CLOCK_BOOTTIME) time->tv_sec += fake.boottime;
  return result;
}

int adjtimex(struct timex *query) {
  int state = (int)syscall(SYS_adjtimex, query);
  struct fake fake = read_fake();
  query->time.tv_sec += fake.wall;
  if (fake.vouched == 0) return state;
  if (fake.vouched < 0) {
    query->status |= STA_UNSYNC;
    query->maxerror = 16000000;
    return TIME_ERROR;
  }
  query->status &= ~STA_UNSYNC;
  query->maxerror = 0;
  return TIME_OK;
}
