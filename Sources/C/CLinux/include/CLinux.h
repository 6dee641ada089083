// Linux calls that Swift's Glibc module lacks: calls that need _GNU_SOURCE, function-like macros,
// and structures that are hard to build in Swift. CLinux.c defines _GNU_SOURCE. This header does
// not, because it would break the Glibc module for code that imports both.
//
// Every function that can fail returns -errno, as libsystemd does: no caller can read a stale
// errno, and one check in Swift serves both libraries. Every descriptor is created close-on-exec.
#pragma once

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Descriptors

/// accept4(2), non-blocking. -EAGAIN when no connection is waiting.
int nj_accept(int listening);
/// pipe2(2): ends[0] is the reading end, ends[1] the writing end. Both are blocking, as a child
/// that inherits one expects.
int nj_pipe(int ends[2]);
/// eventfd(2), non-blocking, beginning at zero: another thread wakes the loop with it.
int nj_eventfd(void);
/// Adds one to an eventfd's counter. A full counter is no error: it has woken the loop already.
int nj_eventfd_signal(int fd);
/// Sets an eventfd's counter to zero. A counter that is zero already is no error.
int nj_eventfd_drain(int fd);
/// Makes a descriptor non-blocking; an inherited descriptor may be blocking.
int nj_set_nonblocking(int fd);
/// Makes the creation, renaming and removal of files in a folder durable: fsync(2) of the folder
/// itself.
int nj_sync_directory(const char *path);

/// memfd_create(2) with `size` zeros.
int nj_memfd(const char *name, int64_t size);

/// Whether the other end of a connection has closed it (POLLRDHUP), or the connection has failed:
/// 1 or 0. Data that the other end sent before may still be unread.
int nj_peer_has_closed(int fd);

// UNIX sockets

/// A stream socket of the UNIX domain, non-blocking.
int nj_unix_socket(void);
/// bind(2) to a path. -ENAMETOOLONG: it has no room with its NUL.
int nj_unix_bind(int fd, const char *path);

// The network

/// An rtnetlink(7) socket, non-blocking, for the kernel's messages about links and addresses.
int nj_link_socket(void);
/// recvfrom(2). Returns the length of the kernel's message, at most `size`; 0 for a message of
/// another process. -EAGAIN when there are no more, -ENOBUFS when some were lost.
int nj_link_receive(int fd, void *bytes, size_t size);

// epoll

/// The kernel's struct epoll_event, with a 64-bit token in place of the union. The kernel packs it
/// only on x86-64, where a 32-bit process must see the same layout; CLinux.c asserts that the
/// layouts agree.
#if defined(__x86_64__)
typedef struct __attribute__((packed)) {
#else
typedef struct {
#endif
  uint32_t events;
  uint64_t token;
} nj_epoll_event;

enum {
  NJ_EPOLL_READABLE = 0x001,
  NJ_EPOLL_WRITABLE = 0x004,
  NJ_EPOLL_ERROR = 0x008,
  NJ_EPOLL_HANGUP = 0x010,
};

int nj_epoll_create(void);
int nj_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int nj_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int nj_epoll_remove(int epoll, int fd);
/// epoll_wait(2) without waiting; the number of events written.
int nj_epoll_poll(int epoll, nj_epoll_event *events, int capacity);

// Clocks

/// A timerfd on CLOCK_REALTIME, non-blocking, off.
int nj_timerfd_realtime(void);
/// Arms the timer with TFD_TIMER_CANCEL_ON_SET for the largest possible time. So it never expires,
/// but becomes readable whenever the clock is set, also by resuming from suspend. -ECANCELED: it is
/// armed, and the clock was set since the last read.
int nj_timerfd_arm_cancel_on_set(int fd);
/// read(2): the number of expirations; -ECANCELED if the clock was set, -EAGAIN if neither
/// happened.
int64_t nj_timerfd_read(int fd);
/// timerfd_gettime(2): the whole seconds until it expires; 0 if it is not armed.
int64_t nj_timerfd_remaining_seconds(int fd);
/// adjtimex(2), without setting anything. `status` gets the STA_ bits. `max_error_usec` gets the
/// error bound, which grows up to 16 s with the time since the clock was last disciplined.
/// `realtime_usec` gets CLOCK_REALTIME, read at the same moment as the other two.
int nj_clock_discipline(int32_t *status, int64_t *max_error_usec, int64_t *realtime_usec);

enum { NJ_CLOCK_UNSYNCHRONIZED = 0x0040 };

// Signals

/// A signalfd for one signal, non-blocking. Polling it without reading it shows that the signal is
/// pending and leaves it pending. The caller must have blocked the signal.
int nj_signalfd(int signal);
/// Stops the whole process with SIGSTOP and returns once it is continued. `marker` is a blocked
/// signal, SIGTSTP. If it is no longer pending, the function returns at once: a SIGCONT has
/// discarded it. This also works for a SIGCONT that comes just before the stop.
void nj_stop_unless_continued(int marker);

// Threads and processes

int32_t nj_gettid(void);

/// A program to start.
typedef struct {
  /// Its path; PATH is not searched.
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// Its working directory; / if the folder cannot be entered.
  const char *folder;
  /// The descriptor for its standard output and error.
  int output;
  /// The descriptor for its standard input; below 0 for an empty input.
  int input;
  /// Its soft limit of open files, unless the hard limit is lower.
  uint64_t open_files;
  /// Whether the kernel kills it when the thread that starts it ends (PR_SET_PDEATHSIG).
  bool ends_with_parent;
} nj_program;

/// Starts a program in a new session and process group, with no other descriptor, no blocked and no
/// ignored signal. Returns its process ID, or execve(2)'s error.
int nj_spawn(const nj_program *program);
/// pipe2(2) with a non-blocking reading end; both ends are above 2.
int nj_output_pipe(int ends[2]);
/// Discards at most `limit` bytes of a pipe without copying them. Returns their number; -EAGAIN
/// when the pipe is empty, 0 at the end. `null` is /dev/null, open for writing.
int64_t nj_discard(int pipe, int null, size_t limit);
/// F_SETPIPE_SZ: enlarges a pipe, if the process may.
int nj_widen_pipe(int pipe, int bytes);

/// Whether a child has ended. It is not reaped.
bool nj_has_ended(int32_t pid);
/// The macros of wait(2), for a status of waitpid.
bool nj_wait_exited(int status);
int nj_wait_exit_code(int status);
int nj_wait_signal(int status);
