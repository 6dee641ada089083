// timerfd COUNT GAP: waits for COUNT points of CLOCK_BOOTTIME that are GAP microseconds apart, each on a
// timerfd that is armed for the next as a loop would, and prints how late it was at each, in nanoseconds.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t nsec(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  long count = atol(argv[1]), gap = atol(argv[2]);
  int64_t *late = malloc(count * sizeof *late);
  int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  int64_t begin = nsec() + 100000000;
  for (long i = 0; i < count;) {
    int64_t due = begin + i * gap * 1000;
    struct itimerspec when = {.it_value = {due / 1000000000, due % 1000000000}};
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
    while (epoll_wait(epoll, &event, 1, -1) != 1) {
    }
    uint64_t times;
    if (read(fd, &times, sizeof times) < 0) continue;
    // All that are due by now, as a daemon fires them.
    int64_t at = nsec();
    while (i < count && begin + i * gap * 1000 <= at) {
      late[i] = at - (begin + i * gap * 1000);
      i++;
    }
  }
  for (long i = 0; i < count; i++) printf("%lld\n", (long long)late[i]);
  return 0;
}
