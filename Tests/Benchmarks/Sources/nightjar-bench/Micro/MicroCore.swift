internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarSimulation
internal import NightjarVarlink

/// The daemon's core with its methods, on a disk in memory that is done at once. What comes in and
/// goes out is what a connection has; its clocks stand still until they are told.
final class MicroCore {
  let disk = SimulatedDisk()
  let core: TimerCore
  private(set) var now = Moment(
    realtimeUsec: 1_800_000_000_000_000, boottimeUsec: 1_000_000_000, monotonicUsec: 1_000_000_000,
    bootID: BootID(high: 1, low: 1))
  private let methods: Methods
  private let outlet = Outlet()
  private var input = FrameBuffer()

  /// A core with so many timers; countdowns end in an hour and more, all within two.
  init(timers: Int = 0, of mix: TimerMix = .plain) {
    let calendar = ZoneCalendar()
    core = Self.service(on: disk, calendar: calendar, at: now)
    methods = Methods(
      core: core, calendar: calendar,
      dependencies: Methods.Dependencies(
        reader: disk,
        status: { fail("nobody asks for the status") }, testRing: { fail("nobody rings") },
        holdRings: { fail("no client holds rings") }, releaseRings: { _ in false },
        reportReadFailure: { fail("\($0): \($1)") })
    ) { SpecDefaults() }
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    endIteration()
    fill(timers, mix)
  }

  /// Starts the timers past the journal, which is then told that it has all of them: to pack each
  /// twice would take callgrind longer than what is counted.
  private func fill(_ timers: Int, _ mix: TimerMix) {
    let (engine, journal) = (core.engine, core.journal)
    core.bus.forgetObservers()
    core.bus.register(engine)
    for number in 0..<timers {
      do throws(EngineError) {
        try mix.start(number, in: engine, at: now)
      } catch { fail("timer \(number) could not be started: \(error)") }
    }
    core.bus.register(journal)
    let chunks = (timers + TimerTable.chunkSlots - 1) / TimerTable.chunkSlots
    journal.resume(chunkSeqs: Array(repeating: engine.lastSeq, count: chunks))
  }

  /// A service that goes on with what is on a disk.
  static func service(
    on disk: SimulatedDisk, calendar: any Calendar, at now: Moment
  ) -> TimerCore {
    do throws(StoreError) {
      return try TimerCore(
        reader: disk, committer: disk, calendar: calendar, maximumTimers: 4_000_000, at: now)
    } catch { fail("\(error)") }
  }

  /// Time passes.
  func pass(usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
    now.monotonicUsec += usec
  }

  /// Ends a loop iteration, and the commit with it.
  ///
  /// - Returns: whether more is due.
  @discardableResult
  func endIteration() -> Bool {
    let isMoreDue = core.endIteration(at: now).isMoreDue
    settle()
    return isMoreDue
  }

  /// The commit under way is on disk.
  func settle() {
    guard let outcome = disk.settle(.durable) else { return }
    do throws(StoreError) {
      try core.commitFinished(outcome, at: now)
    } catch { fail("\(error)") }
  }

  /// Answers the bytes of one request as the server does, from what was received to what is sent.
  ///
  /// - Parameter isError: whether it is to be refused; anything else ends the program.
  @inline(__always)
  func answer(_ request: [UInt8], isError: Bool = false) {
    request.withUnsafeBytes { bytes in
      let outcome = input.consume(bytes) { frame in
        do throws(VarlinkProtocolError) {
          let call = try VarlinkCall.parse(frame)
          guard methods.answer(call, to: outlet, at: now) == nil else { fail("a stream came") }
        } catch { fail("\(error)") }
        return true
      }
      guard outcome == .drained else { fail("a request was not taken") }
    }
    // {"error": or {"parameters":
    guard outlet.output.count > 2, (outlet.output[2] == UInt8(ascii: "e")) == isError else {
      fail("a wrong reply: \(String(decoding: outlet.output, as: UTF8.self))")
    }
    outlet.sent = outlet.output.count
    _ = outlet.forgetSent()
  }
}

/// Requests as bytes, each with its NUL.
enum MicroRequests {
  /// Those of a workload, about numbers drawn at random.
  static func drawn(
    _ count: Int, _ workload: some Workload, from numbers: Range<Int>
  ) -> [[UInt8]] {
    var random = Xorshift(seed: 2)
    var buffer = RequestBuffer()
    return (0..<count).map { _ in
      workload.ask(numbers.lowerBound + random.draw(below: numbers.count), in: &buffer)
      defer { buffer.take(buffer.pending.count) }
      return Array(buffer.pending)
    }
  }
}
