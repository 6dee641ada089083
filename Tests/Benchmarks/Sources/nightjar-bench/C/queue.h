// What is measured of a queue of timers, the same for each library: COUNT timers, due within a second, are
// inserted; then so many times one at random is cancelled and inserted anew; then, when the last is due,
// all are expired. Prints nanoseconds for each timer: insert, cancel and insert, expire.
//
// The one who includes this has `struct timer`, and the four functions below.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long fired;

static void prepare(void);
/// Starts a timer that is due in so many seconds.
static void insert(struct timer *timer, double seconds);
static void cancel(struct timer *timer);
/// One turn of the loop, without waiting: expires what is due.
static void expire(void);

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint64_t draw(uint64_t below) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint64_t)(((unsigned __int128)(state * 0x2545F4914F6CDD1Du) * below) >> 64);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  struct timer *timers = calloc(count, sizeof *timers);
  prepare();
  // Nothing is due before all this is done.
  double due = 4, begin = seconds();
  for (long i = 0; i < count; i++) insert(&timers[i], due + draw(1000000) / 1e6);
  double inserted = seconds();
  for (long i = 0; i < count; i++) {
    struct timer *timer = &timers[draw(count)];
    cancel(timer);
    insert(timer, due + draw(1000000) / 1e6);
  }
  double moved = seconds();
  if (moved - begin > due || fired) return 1;
  while (seconds() < moved + due + 1.1) usleep(100000);
  double late = seconds();
  while (fired < count) expire();
  double expired = seconds();
  printf("%.1f %.1f %.1f\n", (inserted - begin) * 1e9 / count, (moved - inserted) * 1e9 / count,
         (expired - late) * 1e9 / count);
  return 0;
}
