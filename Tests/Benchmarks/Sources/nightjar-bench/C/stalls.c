// stalls MILLISECONDS: does nothing but read the clock for so long, and prints the longest time from one
// reading to the next, in nanoseconds: how long the machine itself stood still for whoever runs on it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t nsec(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  int64_t last = nsec(), end = last + atol(argv[1]) * 1000000LL, longest = 0;
  while (last < end) {
    int64_t now = nsec();
    if (now - last > longest) longest = now - last;
    last = now;
  }
  printf("%lld\n", (long long)longest);
  return 0;
}
