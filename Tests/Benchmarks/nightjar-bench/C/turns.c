// turns FIRST COUNT COMMAND… [-- COMMAND…]…: runs each of the commands COUNT times, in turns, and prints a
// line for each turn: how long each of them took, from before its start until its end, in nanoseconds. Each
// must succeed. The word @ of a command stands for a name that no other turn has, from FIRST on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { COMMANDS = 8, WORDS = 256 };

static int64_t nsec(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// A shell would add its own time to both; posix_spawn adds next to none.
static int64_t run(char **words, posix_spawn_file_actions_t *silence) {
  extern char **environ;
  pid_t pid;
  int status, error;
  int64_t begin = nsec();
  if ((error = posix_spawnp(&pid, words[0], silence, NULL, words, environ))) {
    // On a line of its own: those before it in this turn have been told of.
    printf("\n%s: %s\n", words[0], strerror(error));
    exit(1);
  }
  if (waitpid(pid, &status, 0) != pid || status != 0) {
    printf("\n%s ended with status %#x\n", words[0], status);
    exit(1);
  }
  return nsec() - begin;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > WORDS) return 64;
  long first = atol(argv[1]), count = atol(argv[2]);
  char name[32], *words[WORDS], **commands[COMMANDS] = {words};
  int used = 1;
  for (int i = 3; i < argc; i++) {
    words[i - 3] = strcmp(argv[i], "@") ? argv[i] : name;
    if (strcmp(argv[i], "--")) continue;
    if (used == COMMANDS) return 64;
    words[i - 3] = NULL;
    commands[used++] = words + i - 2;
  }
  words[argc - 3] = NULL;
  posix_spawn_file_actions_t silence;
  posix_spawn_file_actions_init(&silence);
  for (int fd = 0; fd < 3; fd++) {
    posix_spawn_file_actions_addopen(&silence, fd, "/dev/null", O_RDWR, 0);
  }
  for (long i = 0; i < count; i++) {
    snprintf(name, sizeof name, "turn/%ld", first + i);
    for (int command = 0; command < used; command++) {
      int64_t took = run(commands[command], &silence);
      printf("%lld%c", (long long)took, command + 1 < used ? ' ' : '\n');
    }
  }
  return 0;
}
