import Glibc
import NightjarCore
import Testing

@testable import NightjarSystem

@Suite("Signals of the process")
struct SignalsTests {
  @Test func `A blocked signal that came is pending`() {
    Signals.block([SIGUSR2])
    #expect(!Signals.isPending(SIGUSR2))
    pthread_kill(pthread_self(), SIGUSR2)
    #expect(Signals.isPending(SIGUSR2))
    var (set, taken) = (sigset_t(), Int32(0))
    sigemptyset(&set)
    sigaddset(&set, SIGUSR2)
    #expect(sigwait(&set, &taken) == 0 && taken == SIGUSR2)
    #expect(!Signals.isPending(SIGUSR2))
  }

  @Test func `A process that stops itself goes on where it was when it is continued`() async {
    await #expect(processExitsWith: .success) {
      let before = Clocks.read()
      // Waits until the kernel says it is stopped, notes when that was, and continues it.
      let script = """
        until grep -q '^State:.T' /proc/\(getpid())/status; do :; done
        cut -d ' ' -f 1 /proc/uptime; kill -CONT \(getpid())
        """
      let helper = try Child(["sh", "-c", script])
      Signals.stopSelf()
      let after = Clocks.read()
      let stopped = try #require(Double(try helper.readLine()))
      // /proc/uptime is BOOTTIME, in hundredths.
      #expect(stopped >= Double(before.boottimeUsec) / 1e6 - 0.01)
      #expect(stopped <= Double(after.boottimeUsec) / 1e6)
    }
  }

  @Test func `A stop discards a SIGCONT that is pending, which can be asked for first`() async {
    await #expect(processExitsWith: .success) {
      Signals.block([SIGCONT])
      pthread_kill(pthread_self(), SIGCONT)
      #expect(Signals.isPending(SIGCONT))
      let script = """
        cd /proc/\(getpid())/task/\(threadID())
        until grep -q '^State:.T' status; do :; done
        awk '/^SigPnd/ { print $2 }' status; kill -CONT \(getpid())
        """
      let helper = try Child(["sh", "-c", script])
      Signals.stopSelf()
      #expect(try helper.readLine() == "0000000000000000")
    }
  }

  @Test func `A write to nobody fails once SIGPIPE is ignored`() async {
    await #expect(processExitsWith: .success) {
      Signals.ignorePipe()
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      close(ends[0])
      #expect(write(ends[1], "x", 1) == -1 && errno == EPIPE)
    }
  }
}

@Suite("Facts about the process")
struct ProcessFactsTests {
  @Test func `Resident memory grows by what is touched`() throws {
    let before = try #require(ProcessFacts.residentBytes)
    let bytes = 64 * 1024 * 1024
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 4096)
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    let after = try #require(ProcessFacts.residentBytes)
    memory.deallocate()
    // Other tests free memory meanwhile.
    #expect(after - before > Int64(bytes) / 2)
  }

  @Test func `Threads are counted as /proc lists them`() async {
    await #expect(processExitsWith: .success) {
      let listed = try Child(["sh", "-c", "ls /proc/\(getpid())/task | wc -l"]).readLine()
      let count = try #require(ProcessFacts.threadCount)
      // The runtime may start one in between.
      #expect(abs(count - (Int(listed) ?? 0)) <= 1)
    }
  }

  @Test(
    "A user namespace is the machine's own if it maps every user to itself",
    arguments: [
      ("         0          0 4294967295\n", true),
      ("         0       1000          1\n", false),
      ("      1000       1000          1\n         0          0       1000\n", false),
      ("", false),
    ])
  func uidMap(map: String, initial: Bool) {
    #expect(UserNamespace.mapsEverything(Array(map.utf8)) == initial)
  }

  @Test func `Whether this is the machine's own user namespace is what its number says`() throws {
    if Role.current == "in a user namespace" {
      #expect(!UserNamespace.isInitial)
      return
    }
    // PROC_USER_INIT_INO, the kernel's fixed number for the first one.
    let link = try Child(["readlink", "/proc/\(getpid())/ns/user"]).readLine()
    #expect(UserNamespace.isInitial == (link == "user:[4026531837]"))
    try Role.play(
      "in a user namespace", inTest: "own user namespace",
      through: ["unshare", "--user", "--map-root-user"])
  }
}
