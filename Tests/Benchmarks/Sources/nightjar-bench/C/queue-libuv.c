// queue-libuv COUNT: see queue.h.
#include <uv.h>
struct timer {
  uv_timer_t timer;
};
#include "queue.h"

static uv_loop_t *loop;

static void on_timer(uv_timer_t *timer) { fired++; }

static void prepare(void) { loop = uv_default_loop(); }

static void insert(struct timer *timer, double seconds) {
  if (!timer->timer.loop) uv_timer_init(loop, &timer->timer);
  uv_timer_start(&timer->timer, on_timer, (uint64_t)(seconds * 1000), 0);
}

static void cancel(struct timer *timer) { uv_timer_stop(&timer->timer); }

static void expire(void) { uv_run(loop, UV_RUN_NOWAIT); }
