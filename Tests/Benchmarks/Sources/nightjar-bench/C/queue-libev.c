// queue-libev COUNT: see queue.h.
#include <ev.h>
struct timer {
  ev_timer timer;
};
#include "queue.h"

static struct ev_loop *loop;

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events) { fired++; }

static void prepare(void) { loop = ev_default_loop(0); }

static void insert(struct timer *timer, double seconds) {
  ev_timer_init(&timer->timer, on_timer, seconds, 0);
  ev_timer_start(loop, &timer->timer);
}

static void cancel(struct timer *timer) { ev_timer_stop(loop, &timer->timer); }

static void expire(void) { ev_run(loop, EVRUN_NOWAIT); }
