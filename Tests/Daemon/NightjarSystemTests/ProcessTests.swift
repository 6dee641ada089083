import Glibc
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem
@testable import NightjarTrust

@Suite(.blocking) struct SignalsTests {
  @Test func `A process that stops itself continues where it was`() throws {
    try Role.alone {
      Signals.block([SIGTSTP])
      pthread_kill(pthread_self(), SIGTSTP)
      let before = Clocks.read()
      // Waits until the kernel reports the stop, notes the time, and continues the process.
      let script = """
        until grep -q '^State:.T' /proc/\(getpid())/status; do :; done
        cut -d ' ' -f 1 /proc/uptime; kill -CONT \(getpid())
        """
      let helper = try ChildProcess(["sh", "-c", script])
      Signals.stopSelf(requestedBy: SIGTSTP)
      let after = Clocks.read()
      let stopped = try #require(Double(try helper.lines.next("the time of the stop")))
      // /proc/uptime is BOOTTIME, in hundredths of a second.
      #expect(stopped >= Double(before.boottimeUsec) / 1e6 - 0.01)
      #expect(stopped <= Double(after.boottimeUsec) / 1e6)
    }
  }

  @Test func `A SIGCONT that came before the stop cancels it`() throws {
    try Role.alone {
      Signals.block([SIGTSTP, SIGCONT])
      for _ in 0..<100 {
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_kill(pthread_self(), SIGCONT)
        // The SIGSTOP discards this SIGCONT; the test is that the call returns.
        Signals.stopSelf(requestedBy: SIGTSTP)
      }
    }
  }

  @Test func `A pending signal is noticed, and stays until another one cancels it`() throws {
    Signals.block([SIGTSTP, SIGCONT])
    let loop = try EventLoop()
    var seen = 0
    var request: PendingSignal?
    request = try PendingSignal(SIGTSTP, on: loop, priority: 0) {
      seen += 1
      request?.isWatched = false
    }
    loop.later { pthread_kill(pthread_self(), SIGTSTP) }
    try loop.runIteration()
    try loop.runIteration()
    #expect(seen == 1)
    // It is still pending: when it is watched again, it is noticed again.
    request?.isWatched = true
    try loop.runIteration()
    #expect(seen == 2)
    pthread_kill(pthread_self(), SIGCONT)
    request?.isWatched = true
    loop.requestIteration()
    try loop.runIteration()
    #expect(seen == 2)
    var (set, taken) = (sigset_t(), Int32(0))
    sigemptyset(&set)
    sigaddset(&set, SIGCONT)
    #expect(sigwait(&set, &taken) == 0 && taken == SIGCONT)
  }

  @Test func `A write to a pipe without a reader fails, and no signal ends the process`() throws {
    try Role.alone {
      Signals.ignorePipe()
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      close(ends[0])
      #expect(write(ends[1], "x", 1) == -1 && errno == EPIPE)
    }
  }
}

@Suite(.blocking) struct KernelFileTests {
  @Test func `A file that is longer than a page is read to its end`() throws {
    // The stack is near the end of a list of some thousand lines.
    let map = String(decoding: try #require(readKernelFile("/proc/self/smaps")), as: UTF8.self)
    #expect(map.utf8.count > 3 * 8192 && map.contains("[stack]") && map.hasSuffix("\n"))
    #expect(readKernelFile("/proc/self/not-there") == nil)
  }

  @Test(arguments: [
    ("         0          0 4294967295\n", true),
    ("         0       1000          1\n", false),
    ("      1000       1000          1\n         0          0       1000\n", false),
    ("", false),
  ])
  func `A user namespace is the initial one if it maps every user to itself`(
    map: String, initial: Bool
  ) {
    #expect(UserNamespace.mapsEverything(Array(map.utf8)[...]) == initial)
  }

  @Test func `The check for the initial user namespace agrees with the kernel's number`() throws {
    if Role.current == "in a user namespace" {
      #expect(!UserNamespace.isInitial)
      return
    }
    // PROC_USER_INIT_INO, the kernel's fixed number for the initial namespace.
    let link = try Rig().tool(["readlink", "/proc/\(getpid())/ns/user"])
    #expect(UserNamespace.isInitial == (link == "user:[4026531837]"))
    try Role.play(
      "in a user namespace", inTest: "The check for the initial user namespace",
      through: ["unshare", "--user", "--map-root-user"])
  }
}
