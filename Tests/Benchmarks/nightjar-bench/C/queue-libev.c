// queue-libev COUNT: measures libev's queue of timers. COUNT timers, due within a second, are inserted; then so
// many times one at random is cancelled and inserted anew; then, when the last is due, all are expired. Prints
// nanoseconds for each timer: insert, cancel and insert, expire.
#include <ev.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct ev_loop *loop;
static long fired;
static uint64_t state = 0x9E3779B97F4A7C15u;

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events) { fired++; }

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

static void insert(ev_timer *timer, double seconds) {
  ev_timer_init(timer, on_timer, seconds, 0);
  ev_timer_start(loop, timer);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  long count = atol(argv[1]);
  ev_timer *timers = calloc(count, sizeof *timers);
  loop = ev_default_loop(0);
  // Nothing is due before all this is done.
  double due = 4, begin = seconds();
  for (long i = 0; i < count; i++) insert(&timers[i], due + draw(1000000) / 1e6);
  double inserted = seconds();
  for (long i = 0; i < count; i++) {
    ev_timer *timer = &timers[draw(count)];
    ev_timer_stop(loop, timer);
    insert(timer, due + draw(1000000) / 1e6);
  }
  double moved = seconds();
  if (moved - begin > due || fired) {
    puts("the machine was too busy: timers were due before all were inserted");
    return 1;
  }
  while (seconds() < moved + due + 1.1) usleep(100000);
  double late = seconds();
  while (fired < count) ev_run(loop, EVRUN_NOWAIT);
  double expired = seconds();
  printf("%.1f %.1f %.1f\n", (inserted - begin) * 1e9 / count, (moved - inserted) * 1e9 / count,
         (expired - late) * 1e9 / count);
  return 0;
}
