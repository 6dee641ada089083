internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarSimulation
internal import Varlink

/// The daemon's core with its methods, on a disk in memory that finishes every commit at once. It
/// has the same input and output buffers as a connection. Only `pass` advances its clocks.
final class MicroCore {
  let disk = SimulatedDisk()
  let core: TimerCore
  private(set) var now = Moment(
    realtimeUsec: 1_800_000_000_000_000, boottimeUsec: 1_000_000_000, monotonicUsec: 1_000_000_000,
    bootID: BootID(high: 1, low: 1))
  private let methods: Methods
  private let outlet = Outlet()
  private var input = FrameBuffer()

  /// A core with this many timers. Countdowns take between one and two hours.
  init(timers: Int = 0) {
    let calendar = ZoneCalendar()
    core = Self.service(on: disk, calendar: calendar, at: now)
    methods = Methods(
      core: core, calendar: calendar,
      dependencies: Methods.Dependencies(
        reader: disk, status: { fail("the benchmark does not call Status") },
        testRing: { fail("the benchmark does not call TestRing") },
        holdRings: { fail("the benchmark does not call HoldRings") }, releaseRings: { _ in false },
        reportReadFailure: { fail("\($0): \($1)") })
    ) { SpecDefaults() }
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    endIteration()
    fill(timers)
  }

  /// Starts the timers without the journal, and then tells the journal that all of them are
  /// written. Otherwise the journal would pack each timer twice, and under callgrind this would
  /// take longer than the counted part.
  private func fill(_ timers: Int) {
    let (engine, journal) = (core.engine, core.journal)
    core.bus.forgetObservers()
    core.bus.register(engine)
    for number in 0..<timers { start(number) }
    core.bus.register(journal)
    let chunks = (timers + TimerTable.chunkSlots - 1) / TimerTable.chunkSlots
    journal.resume(chunkSeqs: Array(repeating: engine.lastSeq, count: chunks))
  }

  /// Starts the countdown with this number. Each has its own length, as in requests.
  func start(_ number: Int) {
    var spec = TimerSpec.plain
    spec.durationUsec = 3_600_000_000 + Int64(number &* 2_654_435_761 % 1_000_000_007)
    do throws(EngineError) {
      _ = try core.engine.start(Name.text(number), spec, at: now)
    } catch { fail("timer \(number) could not be started: \(error)") }
  }

  /// A core that continues with the data on `disk`.
  static func service(on disk: SimulatedDisk, calendar: any Calendar, at now: Moment) -> TimerCore {
    do throws(StoreError) {
      return try TimerCore(
        reader: disk, committer: disk, calendar: calendar, maximumTimers: 4_000_000, at: now)
    } catch { fail("\(error)") }
  }

  /// Advances all clocks.
  func pass(usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
    now.monotonicUsec += usec
  }

  /// Ends a loop iteration and its commit.
  ///
  /// - Returns: whether more timers are due.
  @discardableResult func endIteration() -> Bool {
    let isMoreDue = core.endIteration(at: now).isMoreDue
    settle()
    return isMoreDue
  }

  /// Finishes the commit under way, which is then on disk.
  func settle() {
    guard let outcome = disk.settle(.durable) else { return }
    do throws(StoreError) {
      try core.commitFinished(outcome, at: now)
    } catch { fail("\(error)") }
  }

  /// Answers one request as the server does, from the received bytes to the bytes to send. An error
  /// ends the program.
  @inline(__always)
  func answer(_ request: [UInt8]) {
    request.withUnsafeBytes { bytes in
      let outcome = input.consume(bytes) { frame in
        do throws(VarlinkProtocolError) {
          let call = try VarlinkCall.parse(frame)
          guard methods.answer(call, to: outlet, at: now) == nil else { fail("a stream came") }
        } catch { fail("\(error)") }
        return true
      }
      guard outcome == .drained else { fail("a request was not accepted") }
    }
    // The reply begins with {"error": or {"parameters":
    guard outlet.output.count > 2, outlet.output[2] == UInt8(ascii: "p") else {
      fail("a wrong reply: \(String(decoding: outlet.output, as: UTF8.self))")
    }
    outlet.output.removeAll(keepingCapacity: true)
  }
}

/// Requests as bytes, each with its NUL.
enum MicroRequests {
  /// Requests of a workload, about random numbers.
  static func drawn(
    _ count: Int, _ workload: some Workload, below timers: Int
  ) -> [[UInt8]] {
    var random = Xorshift(seed: 2)
    var buffer = RequestBuffer()
    return (0..<count).map { _ in
      workload.ask(random.draw(below: timers), in: &buffer)
      defer { buffer.take(buffer.pending.count) }
      return Array(buffer.pending)
    }
  }
}
