// constant SOCKET: answers every frame that ends with a NUL byte with the same frame of 334 bytes, which
// is as long as a timer. It reads nothing of what it is asked: what the kernel allows one core to do.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { REPLY = 334, INPUT = 1 << 18 };
static char input[INPUT], output[INPUT / 8 * REPLY];

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 64;
  strcpy(address.sun_path, argv[1]);
  int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 512)) {
    perror(argv[1]);
    return 1;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listening}, events[256];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &event);
  for (size_t i = 0; i < sizeof output; i++) output[i] = (i + 1) % REPLY ? 'x' : 0;
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == listening) {
        int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        event.data.fd = client;
        if (client >= 0) epoll_ctl(epoll, EPOLL_CTL_ADD, client, &event);
        continue;
      }
      ssize_t got = recv(fd, input, INPUT, MSG_DONTWAIT);
      if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) close(fd);
        continue;
      }
      size_t frames = 0;
      for (char *p = input; (p = memchr(p, 0, input + got - p)); p++) frames++;
      // A client that asks for more than it has room for waits in here, which no load of ours does.
      for (size_t sent = 0; sent < frames * REPLY;) {
        ssize_t done = send(fd, output + sent, frames * REPLY - sent, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR) break;
        if (done > 0) sent += done;
      }
    }
  }
}
