// queue-libevent COUNT: see queue.h.
#include <event2/event.h>
#include <event2/event_struct.h>
struct timer {
  struct event event;
};
#include "queue.h"

static struct event_base *base;

static void on_timer(evutil_socket_t fd, short events, void *argument) { fired++; }

static void prepare(void) { base = event_base_new(); }

static void insert(struct timer *timer, double seconds) {
  struct timeval when = {(long)seconds, (long)((seconds - (long)seconds) * 1e6)};
  if (!timer->event.ev_base) evtimer_assign(&timer->event, base, on_timer, NULL);
  evtimer_add(&timer->event, &when);
}

static void cancel(struct timer *timer) { evtimer_del(&timer->event); }

static void expire(void) { event_base_loop(base, EVLOOP_NONBLOCK); }
