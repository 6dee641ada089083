import CLinux
import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

@Suite(.blocking) struct EventLoopTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  /// A pipe that the loop can watch for input.
  private struct Pipe: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(nj_pipe(&ends) == 0)
      reading = Descriptor(owning: ends[0])
      writing = Descriptor(owning: ends[1])
    }

    func write() {
      var byte: UInt8 = 1
      #expect(Glibc.write(writing.raw, &byte, 1) == 1)
    }

    func read() {
      var byte: UInt8 = 0
      #expect(Glibc.read(reading.raw, &byte, 1) == 1)
    }
  }

  // MARK: Running

  @Test func `The loop returns the code passed to exit, and cannot run again`() throws {
    let timer = try loop.timer(on: .monotonic) { [loop] in loop.exit(7) }
    timer.arm(atUsec: 0)
    #expect(try loop.run() == 7)
    #expect(try loop.run() == 7)
    loop.exit(8)
    #expect(throws: SystemError(operation: "sd_event_prepare", code: ESTALE)) {
      try loop.runIteration()
    }
  }

  @Test func `After an exit within a handler, nothing that was ready is dispatched`() throws {
    var called: [String] = []
    let first = try loop.timer(on: .monotonic, priority: -1) { [loop] in
      called.append("first")
      loop.exit(0)
    }
    let second = try loop.timer(on: .monotonic) { called.append("second") }
    first.arm(atUsec: 0)
    second.arm(atUsec: 0)
    #expect(try loop.run() == 0)
    #expect(called == ["first"])
  }

  @Test func `An iteration has its moment before the handler, and its end after it`() throws {
    var trace: [String] = []
    var moments: [Moment] = []
    loop.onIterationBegin = { moment in
      trace.append("begin")
      moments.append(moment)
    }
    loop.onIterationEnd = { trace.append("end") }
    let armed = Clocks.read()
    for (name, delayUsec) in [("a", Int64(1000)), ("b", 2000)] {
      let timer = try loop.timer(on: .boottime) { [loop] in
        trace.append(name)
        #expect(loop.now == moments.last)
      }
      timer.arm(atUsec: armed.boottimeUsec + delayUsec)
      #expect(try pump(loop) { trace.contains(name) })
    }
    #expect(trace == ["begin", "a", "end", "begin", "b", "end"])
    #expect(moments[0].boottimeUsec >= armed.boottimeUsec + 1000)
    #expect(moments[1].boottimeUsec >= armed.boottimeUsec + 2000)
  }

  @Test func `A source switched off at the beginning of an iteration is not dispatched`() throws {
    var fired = false
    let timer = try loop.timer(on: .boottime) { fired = true }
    var iterations = 0
    loop.onIterationBegin = { _ in
      iterations += 1
      timer.arm(atUsec: nil)
    }
    timer.arm(atUsec: 0)
    #expect(try pump(loop) { iterations == 1 })
    #expect(!fired)
  }

  @Test func `A requested iteration comes without waiting, and once`() throws {
    var iterations = 0
    loop.onIterationEnd = { iterations += 1 }
    loop.requestIteration()
    loop.requestIteration()
    // The second iteration is that of the time limit: nothing else was requested.
    #expect(try pump(loop, within: 0.1) { iterations > 2 } == false)
    #expect(iterations == 2)
  }

  @Test func `Iterations that are requested again and again starve no source`() throws {
    let pipe = try Pipe()
    var fired = false
    var isRead = false
    var iterations = 0
    let timer = try loop.timer(on: .monotonic) { fired = true }
    let source = try loop.watchReadable(pipe.reading.raw) {
      isRead = true
      pipe.read()
    }
    loop.onIterationEnd = { [loop] in
      iterations += 1
      if iterations < 1000 { loop.requestIteration() }
    }
    timer.arm(atUsec: 0)
    pipe.write()
    loop.requestIteration()
    #expect(try pump(loop) { fired && isRead })
    #expect(iterations < 1000)
    source.cancel()
  }

  @Test func `Blocks for later run after the handler, in order`() throws {
    var trace: [String] = []
    loop.onIterationEnd = { trace.append("end") }
    let timer = try loop.timer(on: .monotonic) { [loop] in
      loop.later { trace.append("after") }
      trace.append("handler")
    }
    timer.arm(atUsec: 0)
    #expect(try pump(loop) { trace.contains("after") && trace.last == "end" })
    #expect(trace == ["handler", "after", "end"])
    // A block from outside of an iteration gets an iteration of its own.
    trace = []
    loop.later { [loop] in
      trace.append("one")
      loop.later { trace.append("three") }
    }
    loop.later { trace.append("two") }
    #expect(trace == [])
    #expect(try pump(loop) { trace.contains("three") })
    #expect(trace == ["one", "two", "end", "three", "end"])
  }

  // MARK: Descriptors

  @Test func `A descriptor is reported as long as there is something to read`() throws {
    let pipe = try Pipe()
    var calls = 0
    let source = try loop.watchReadable(pipe.reading.raw) { calls += 1 }
    pipe.write()
    #expect(try pump(loop) { calls == 3 })
    pipe.read()
    #expect(try pump(loop, within: 0.05) { calls > 3 } == false)
    source.cancel()
  }

  @Test func `A hang-up is reported`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(nj_pipe(&ends) == 0)
    let reading = Descriptor(owning: ends[0])
    var called = false
    let source = try loop.watchReadable(reading.raw) { called = true }
    close(ends[1])
    #expect(try pump(loop) { called })
    source.cancel()
  }

  @Test func `The source with the higher priority goes first`() throws {
    let early = try Pipe()
    let late = try Pipe()
    var order: [String] = []
    let slow = try loop.watchReadable(early.reading.raw, priority: 10) {
      order.append("slow")
      early.read()
    }
    let urgent = try loop.watchReadable(late.reading.raw, priority: -10) {
      order.append("urgent")
      late.read()
    }
    early.write()
    late.write()
    #expect(try pump(loop) { order.count == 2 })
    #expect(order == ["urgent", "slow"])
    slow.cancel()
    urgent.cancel()
  }

  @Test func `A handler may cancel its own source, and that of another that is ready`() throws {
    let first = try Pipe()
    let second = try Pipe()
    var calls: [String] = []
    var sources: [Source] = []
    for (name, fd) in [("first", first.reading.raw), ("second", second.reading.raw)] {
      sources.append(
        try loop.watchReadable(fd) {
          calls.append(name)
          for source in sources { source.cancel() }
        })
    }
    first.write()
    second.write()
    #expect(try pump(loop, within: 0.05) { calls.count == 2 } == false)
    #expect(calls.count == 1)
  }

  @Test func `A handler may drop the last reference to its source, which ends it`() throws {
    let pipe = try Pipe()
    var calls = 0
    var source: Source?
    weak var gone: Source?
    source = try loop.watchReadable(pipe.reading.raw) {
      source = nil
      calls += 1
    }
    gone = source
    pipe.write()
    #expect(try pump(loop, within: 0.05) { calls == 2 } == false)
    #expect(calls == 1)
    #expect(gone == nil)
  }

  @Test func `A descriptor that is not open cannot be watched`() {
    #expect(throws: SystemError(operation: "sd_event_add_io", code: EBADF)) {
      _ = try loop.watchReadable(1_000_000) {}
    }
  }

  // MARK: Signals

  /// The tests send their signals to this one thread, because the other threads of the test run
  /// have not blocked them.
  @Test func `A signal is delivered in the loop with its sender`() throws {
    var received: [SignalInfo] = []
    let source = try loop.watchSignal(SIGUSR1) { received.append($0) }
    pthread_kill(pthread_self(), SIGUSR1)
    #expect(received == [])
    #expect(try pump(loop) { received.count == 1 })
    #expect(received == [SignalInfo(signal: SIGUSR1, pid: getpid(), uid: getuid())])

    let sender = try ChildProcess([
      "/usr/bin/python3", "-c",
      "import ctypes; ctypes.CDLL(None).tgkill(\(getpid()), \(nj_gettid()), \(SIGUSR1))",
    ])
    #expect(try pump(loop) { received.count == 2 })
    #expect(received.last == SignalInfo(signal: SIGUSR1, pid: sender.pid, uid: getuid()))
    #expect(try sender.awaitEnd() == .exited(0))
    source.cancel()
  }

  // MARK: The watchdog

  @Test func `The manager is pinged from within the loop`() throws {
    try Role.alone {
      let folder = try TestFolder()
      let pings = try NotifySocket(path: "\(folder.path)/notify")
      setenv("NOTIFY_SOCKET", pings.path, 1)
      setenv("WATCHDOG_USEC", "100000", 1)
      let loop = try EventLoop()
      #expect(ServiceManager.watchdogUsec == 100_000)
      #expect(try loop.enableWatchdog(true))
      // sd-event pings once when it is switched on, and then from its wait.
      #expect(try pings.next() == "WATCHDOG=1")
      try run(loop, seconds: 0.3)
      #expect(try pings.next() == "WATCHDOG=1")
      #expect(try loop.enableWatchdog(false) == false)
      // All that was sent before this has arrived then.
      #expect(ServiceManager.notify("STATUS=off"))
      while try pings.next() != "STATUS=off" {}
      try run(loop, seconds: 0.3)
      #expect(ServiceManager.notify("STATUS=over"))
      #expect(try pings.next() == "STATUS=over")
    }
  }

  @Test func `Without a manager that asks for it, there is no watchdog`() throws {
    #expect(ServiceManager.watchdogUsec == nil)
    #expect(try loop.enableWatchdog(true) == false)
  }
}
