#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(nj_epoll_event) == sizeof(struct epoll_event), "the kernel's layout");
_Static_assert(
    offsetof(nj_epoll_event, token) == offsetof(struct epoll_event, data), "the kernel's layout");
_Static_assert(NJ_EPOLL_READABLE == EPOLLIN && NJ_EPOLL_WRITABLE == EPOLLOUT, "the kernel's bits");
_Static_assert(NJ_EPOLL_ERROR == EPOLLERR && NJ_EPOLL_HANGUP == EPOLLHUP, "the kernel's bits");
_Static_assert(NJ_CLOCK_UNSYNCHRONIZED == STA_UNSYNC, "the kernel's bit");

static int result_or_errno(int result) { return result < 0 ? -errno : result; }

// Descriptors

int nj_accept(int listening) {
  return result_or_errno(accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

int nj_pipe(int ends[2]) { return result_or_errno(pipe2(ends, O_CLOEXEC)); }

int nj_eventfd(void) { return result_or_errno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }

int nj_eventfd_signal(int fd) {
  int result = result_or_errno(eventfd_write(fd, 1));
  return result == -EAGAIN ? 0 : result;
}

int nj_eventfd_drain(int fd) {
  eventfd_t count;
  int result = result_or_errno(eventfd_read(fd, &count));
  return result == -EAGAIN ? 0 : result;
}

int nj_set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -errno;
  return result_or_errno(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

int nj_sync_directory(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -errno;
  int result = result_or_errno(fsync(fd));
  close(fd);
  return result;
}

int nj_memfd(const char *name, int64_t size) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, size) == 0) return result_or_errno(fd);
  int failure = -errno;
  close(fd);
  return failure;
}

int nj_peer_has_closed(int fd) {
  struct pollfd entry = {.fd = fd, .events = POLLRDHUP};
  return poll(&entry, 1, 0) > 0;
}

// UNIX sockets

int nj_unix_socket(void) {
  return result_or_errno(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

int nj_unix_bind(int fd, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0) return -EINVAL;
  if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  return result_or_errno(bind(fd, (struct sockaddr *)&address, sizeof address));
}

// The network

int nj_link_socket(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -errno;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
  };
  if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
  int code = errno;
  close(fd);
  return -code;
}

int nj_link_receive(int fd, void *bytes, size_t size) {
  struct sockaddr_nl sender = {0};
  socklen_t length = sizeof sender;
  ssize_t count = recvfrom(fd, bytes, size, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
  if (count < 0) return -errno;
  // Another process may send to this socket; ignore its messages.
  return sender.nl_pid == 0 ? (int)count : 0;
}

// epoll

int nj_epoll_create(void) { return result_or_errno(epoll_create1(EPOLL_CLOEXEC)); }

static int epoll_change(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return result_or_errno(epoll_ctl(epoll, operation, fd, &event));
}

int nj_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return epoll_change(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int nj_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
  return epoll_change(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int nj_epoll_remove(int epoll, int fd) { return epoll_change(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int nj_epoll_poll(int epoll, nj_epoll_event *events, int capacity) {
  int count;
  do {
    count = epoll_wait(epoll, (struct epoll_event *)events, capacity, 0);
  } while (count < 0 && errno == EINTR);
  return result_or_errno(count);
}

// Clocks

int nj_timerfd_realtime(void) {
  return result_or_errno(timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC));
}

int nj_timerfd_arm_cancel_on_set(int fd) {
  // If the kernel's clock cannot reach a number of seconds, the kernel replaces it with the clock's
  // limit.
  struct itimerspec never = {.it_value.tv_sec = INT64_MAX};
  return result_or_errno(
      timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL));
}

int64_t nj_timerfd_read(int fd) {
  uint64_t expirations = 0;
  return read(fd, &expirations, sizeof expirations) < 0 ? -errno : (int64_t)expirations;
}

int64_t nj_timerfd_remaining_seconds(int fd) {
  struct itimerspec now;
  return timerfd_gettime(fd, &now) < 0 ? -errno : (int64_t)now.it_value.tv_sec;
}

int nj_clock_discipline(int32_t *status, int64_t *max_error_usec, int64_t *realtime_usec) {
  struct timex query = {.modes = 0};
  int state = adjtimex(&query);
  if (state < 0) return -errno;
  *status = query.status;
  *max_error_usec = query.maxerror;
  // With STA_NANO the field holds nanoseconds.
  int64_t fraction = query.status & STA_NANO ? query.time.tv_usec / 1000 : query.time.tv_usec;
  *realtime_usec = query.time.tv_sec * INT64_C(1000000) + fraction;
  return state;
}

// Signals

int nj_signalfd(int signal) {
  sigset_t set;
  sigemptyset(&set);
  if (sigaddset(&set, signal) < 0) return -errno;
  return result_or_errno(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

// Whether a signal is in the mask that follows `field` in a status of proc_pid_status(5).
static bool in_mask(const char *status, const char *field, int signal) {
  const char *mask = strstr(status, field);
  return mask && (strtoull(mask + strlen(field), NULL, 16) >> (signal - 1) & 1);
}

// Whether a signal is pending for another process or for one of its threads; true if /proc cannot
// be read.
static bool is_pending_for(pid_t pid, pid_t thread, int signal) {
  char path[64], status[4096];
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)thread);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  ssize_t length = read(fd, status, sizeof status - 1);
  close(fd);
  if (length <= 0) return true;
  status[length] = 0;
  // A very long list of groups may push the masks out of the buffer.
  if (!strstr(status, "\nShdPnd:")) return true;
  return in_mask(status, "\nShdPnd:", signal) || in_mask(status, "\nSigPnd:", signal);
}

// SIGSTOP discards every pending SIGCONT. Suppose that a process checks for a SIGCONT and then
// stops itself: if the SIGCONT comes in between, the process sleeps for ever. The check has to come
// after the SIGSTOP was sent and before it takes effect. Only another process can do that: the
// child of a vfork(2). The thread that called vfork waits in the kernel for this child.
void nj_stop_unless_continued(int marker) {
  pid_t parent = getpid(), thread = gettid();
  pid_t child = vfork();
  if (child < 0) {
    // No child can be created. The process stops all the same, because a stop was requested. A
    // SIGCONT is lost only if it comes at this very moment.
    raise(SIGSTOP);
    return;
  }
  if (child == 0) {
    // The SIGSTOP goes to the waiting thread. Another thread might take a signal that was sent to
    // the process, and the waiting thread would then run on for a while.
    tgkill(parent, thread, SIGSTOP);
    if (!is_pending_for(parent, thread, marker)) kill(parent, SIGCONT);
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
}

// Threads and processes

int32_t nj_gettid(void) { return gettid(); }

// Moves a descriptor to a number above 2, because other code takes 0 to 2 for the standard streams.
static int above_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return result_or_errno(fd);
  int copy = result_or_errno(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  close(fd);
  return copy;
}

int nj_output_pipe(int ends[2]) {
  int raw[2];
  if (pipe2(raw, O_CLOEXEC) < 0) return -errno;
  ends[0] = above_standard(raw[0]);
  ends[1] = above_standard(raw[1]);
  // The writing end stays blocking, as programs expect.
  int result = ends[0] < 0 ? ends[0] : ends[1] < 0 ? ends[1] : nj_set_nonblocking(ends[0]);
  if (result < 0) {
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  return result;
}

int64_t nj_discard(int pipe, int null, size_t limit) {
  ssize_t count;
  do {
    count = splice(pipe, NULL, null, NULL, limit, SPLICE_F_NONBLOCK);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

int nj_widen_pipe(int pipe, int bytes) { return result_or_errno(fcntl(pipe, F_SETPIPE_SZ, bytes)); }

// Runs in the child of a vfork(2), which shares the parent's memory. It changes only `failure`
// there.
static void become(const nj_program *program, pid_t parent, int null, volatile int *failure) {
  struct sigaction ordinary = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &ordinary, NULL);
  if (program->ends_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have been killed before.
    if (getppid() != parent) _exit(127);
  }
  setsid();
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && program->open_files <= files.rlim_max) {
    files.rlim_cur = program->open_files;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (chdir(program->folder) < 0 && chdir("/") < 0) goto failed;
  int input = program->input >= 0 ? program->input : null;
  if (dup2(input, STDIN_FILENO) < 0 || dup2(program->output, STDOUT_FILENO) < 0 ||
      dup2(program->output, STDERR_FILENO) < 0)
    goto failed;
  // All our descriptors are close-on-exec; a library's may not be.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(program->path, program->arguments, program->environment);
failed:
  *failure = errno;
  _exit(127);
}

int nj_spawn(const nj_program *program) {
  int null = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null < 0) return null;
  // No signal may be handled in the child while it runs in this process's memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  pid_t parent = getpid(), child = vfork();
  if (child == 0) become(program, parent, null, &failure);
  int result = child < 0 ? -errno : child;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(null);
  if (child < 0 || failure == 0) return result;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return -failure;
}

bool nj_has_ended(int32_t pid) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

bool nj_wait_exited(int status) { return WIFEXITED(status); }
int nj_wait_exit_code(int status) { return WEXITSTATUS(status); }
int nj_wait_signal(int status) { return WTERMSIG(status); }
