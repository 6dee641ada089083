// What Swift's Glibc module lacks of Linux: calls that need _GNU_SOURCE, function-like macros, and
// structures that Swift can hardly build. _GNU_SOURCE is defined in CLinux.c and not here, because
// a header that defines it breaks the Glibc module for whoever imports both.
//
// Every function that can fail returns -errno, as libsystemd does: the caller cannot read a stale
// errno, and one check in Swift serves both libraries. Every descriptor is close-on-exec from
// birth.
#pragma once

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Descriptors

/// accept4(2), non-blocking. -EAGAIN when nobody is waiting.
int nj_accept(int listening);
/// pipe2(2): ends[0] is read, ends[1] is written. Blocking; the child that inherits an end expects
/// so.
int nj_pipe(int ends[2]);
/// eventfd(2), non-blocking, counting from zero: how another thread wakes the loop.
int nj_eventfd(void);
/// Adds one to an eventfd's counter. A counter that is full is as awake as it can be: no error.
int nj_eventfd_signal(int fd);
/// Sets an eventfd's counter to zero. One that is zero already is no error.
int nj_eventfd_drain(int fd);
/// Makes a descriptor non-blocking; one that was inherited may not be.
int nj_set_nonblocking(int fd);
/// Makes what was created, renamed or removed in a folder durable: fsync(2) of the folder itself.
int nj_sync_directory(const char *path);

/// memfd_create(2) of a size, all zeros: memory that outlives the process with whoever holds the
/// descriptor.
int nj_memfd(const char *name, int64_t size);
/// Stores a word behind everything that was written before, and before everything that comes after:
/// for memory that is read when this process has been killed between two instructions.
void nj_publish(uint32_t *word, uint32_t value);

// UNIX sockets. A path is at most NJ_SOCKET_PATH_MAX bytes; a longer one is -ENAMETOOLONG.

enum { NJ_SOCKET_PATH_MAX = 107 };

/// A stream socket of the UNIX domain, non-blocking.
int nj_unix_socket(void);
/// bind(2) to a path.
int nj_unix_bind(int fd, const char *path);
/// connect(2) to a path. -EAGAIN: somebody listens, and its queue is full.
int nj_unix_connect(int fd, const char *path);
/// SO_PEERCRED: who was at the other end when the connection was made.
int nj_peer_credentials(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);

// The network

/// A socket of rtnetlink(7), non-blocking, for what the kernel says about links and addresses.
int nj_link_socket(void);
/// recvfrom(2): the length of what the kernel said, at most `size`; 0: another process has sent it.
/// -EAGAIN when there is no more, -ENOBUFS when some was lost.
int nj_link_receive(int fd, void *bytes, size_t size);

// epoll

/// The kernel's struct epoll_event, with the union settled as a 64-bit token. Packed on x86-64
/// only, so that a 32-bit process sees the same layout; CLinux.c asserts that it is the same.
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
/// epoll_wait(2) without waiting: how many events were written.
int nj_epoll_poll(int epoll, nj_epoll_event *events, int capacity);

// Clocks

/// A timerfd on CLOCK_REALTIME, non-blocking, off.
int nj_timerfd_realtime(void);
/// Arms it for the end of time with TFD_TIMER_CANCEL_ON_SET: it never expires, and becomes readable
/// whenever the clock is set, which resuming from suspend does too. -ECANCELED: armed, and the
/// clock was set since it was last looked at.
int nj_timerfd_arm_cancel_on_set(int fd);
/// read(2): the number of expirations; -ECANCELED when the clock was set, -EAGAIN when nothing was.
int64_t nj_timerfd_read(int fd);
/// timerfd_gettime(2): the whole seconds until it expires, 0 when it is off.
int64_t nj_timerfd_remaining_seconds(int fd);
/// adjtimex(2), which sets nothing here. status has the STA_ bits, max_error_usec grows with the
/// time since the clock was last disciplined, up to 16 s; realtime_usec is CLOCK_REALTIME of the very
/// moment at which they hold.
int nj_clock_discipline(int32_t *status, int64_t *max_error_usec, int64_t *realtime_usec);

enum { NJ_CLOCK_UNSYNCHRONIZED = 0x0040 };

// Signals

/// A signalfd for one signal, non-blocking. Polled and never read, it tells that the signal is
/// pending and leaves it so. The caller has it blocked.
int nj_signalfd(int signal);
/// Stops the whole process with SIGSTOP and returns once it is continued, unless `marker`, a
/// blocked SIGTSTP, is not pending any more: any SIGCONT discards it, however late it comes.
void nj_stop_unless_continued(int marker);

// Threads and processes

int32_t nj_gettid(void);
/// PR_SET_NAME of the calling thread, as ps and top show it; cut to 15 bytes.
int nj_set_thread_name(const char *name);

/// A program to be started.
typedef struct {
  /// Its file; not looked for.
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// Where it begins; in / where it cannot be entered.
  const char *folder;
  /// What its standard output and error are.
  int output;
  /// What its standard input is; below 0: it is empty.
  int input;
  /// Its soft limit of open files, if that is not more than the hard one.
  uint64_t open_files;
} nj_program;

/// Starts a program in a session, and by that a process group, of its own: with no other descriptor, no
/// signal blocked, none ignored. The process's number; what execve(2) refused it for.
int nj_spawn(const nj_program *program);
/// pipe2(2), of which the end that is read is non-blocking; both are above standard error.
int nj_output_pipe(int ends[2]);
/// Throws away what is in a pipe, without copying it, at most `limit` bytes: how many there were.
/// -EAGAIN when there is nothing now, 0 at the end. `null` is /dev/null, open for writing.
int64_t nj_discard(int pipe, int null, size_t limit);
/// F_SETPIPE_SZ: has a pipe hold more, if it may.
int nj_widen_pipe(int pipe, int bytes);

/// Whether a child has ended, which stays to be waited for.
bool nj_has_ended(int32_t pid);
/// The macros of wait(2), for a status that waitpid gave.
bool nj_wait_exited(int status);
int nj_wait_exit_code(int status);
bool nj_wait_signaled(int status);
int nj_wait_signal(int status);
