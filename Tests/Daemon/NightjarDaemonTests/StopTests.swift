import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

/// SIGTSTP and SIGCONT, as sent by a terminal and by `kill`.
@Suite(.blocking, .timed) struct StopTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func openSpans() throws -> String {
    try rig.query(
      "SELECT causes, enteredUsec FROM span WHERE leftUsec IS NULL", on: daemon.databasePath)
  }

  @Test func `A stop of 5 s takes 5 s off an elapsed countdown, and none off an awake one`()
    async throws
  {
    try client.start("tea", usec: 20 * second)
    try client.start("work", usec: 20 * second, clock: .awake)
    await elapse(seconds: 2)

    let askedUsec = Now.realtimeUsec
    let (teaBefore, workBefore) = (try client.get("tea"), try client.get("work"))
    // Other tests may hold all threads, and this one then continues after its timers have rung.
    try #require(teaBefore.remainingUsec > 12 * second, "2 s have taken too long")
    let enteredUsec = Now.realtimeUsec
    try daemon.stop()
    let stoppedUsec = Now.realtimeUsec
    // The entry is on disk while the daemon is stopped.
    let row = try openSpans().split(separator: "|")
    #expect(row.first == "stop")
    let entryUsec = try #require(row.last.flatMap { Int64($0) })
    #expect((enteredUsec...stoppedUsec).contains(entryUsec))
    await elapse(seconds: 5)
    #expect(daemon.process.stateLetter == "T")
    let leftUsec = Now.realtimeUsec
    let hiddenUsec = leftUsec - enteredUsec
    try daemon.proceed()

    let (teaAfter, workAfter) = (try client.get("tea"), try client.get("work"))
    // The hidden time ends between the SIGCONT and the answer, however late the machine schedules
    // the daemon.
    let mostUsec = Now.realtimeUsec - enteredUsec
    let teaLess = teaBefore.remainingUsec - teaAfter.remainingUsec
    #expect((hiddenUsec - millisecond...mostUsec + 50 * millisecond).contains(teaLess))
    #expect(hiddenUsec >= 5 * second)
    let answeredUsec = Now.realtimeUsec

    // The ledger shows what is on disk: once it has the end of the span, no span is open there.
    let events = try daemon.ledger { $0.type == "will_enter_foreground" }
    #expect(try openSpans() == "")
    let entered = try #require(events.first { $0.type == "did_enter_background" }?.span)
    #expect(entered.causes == ["stop"] && entered.enteredUsec == entryUsec)
    let left = try #require(events.last?.span)
    #expect(left.causes == ["stop"] && left.span == entered.span && !left.estimated)
    #expect((leftUsec - stoppedUsec - 50 * millisecond...mostUsec).contains(left.elapsedUsec))
    let workLess = workBefore.remainingUsec - workAfter.remainingUsec
    let seenUsec = answeredUsec - askedUsec - left.elapsedUsec
    #expect((0..<seenUsec + 50 * millisecond).contains(workLess))
  }

  @Test
  func `A timer that expired during a stop rings on SIGCONT, and says how late it is and why`()
    async throws
  {
    let issue = try await BareTimer.issue { try await delaysOfRings(after: 3, $0) }
    #expect(issue == nil)
  }

  /// One timer expires during a stop, and rings after it; two run on.
  ///
  /// - Returns: what came too long after the SIGCONT.
  private func delaysOfRings(after seconds: Double, _ bare: BareTimer) async throws -> [String] {
    let begunSeq = try client.status().storage.lastSeq
    let egg = try client.start("egg", usec: 1 * second)
    let tea = try client.start("tea", usec: 10 * second)
    let work = try client.start("work", usec: 10 * second, clock: .awake)
    try daemon.stop()
    await elapse(seconds: seconds)
    let before = Now.realtimeUsec
    try daemon.proceed()
    let rang = try daemon.events(after: begunSeq).event { $0.type == "rang" }
    #expect(rang.name == "egg" && rang.timeUsec >= before)
    #expect(rang.lateCause == "stop")
    let lateUsec = try #require(rang.lateUsec)
    #expect(abs(lateUsec - (rang.timeUsec - egg.startedUsec - second)) < millisecond)
    let seen = try client.get("egg")
    let ring = try #require(seen.openRing)
    #expect(seen.state == .over && ring.lateUsec == rang.lateUsec && ring.lateCause == "stop")
    #expect(try client.get("work").state == .running)
    // The stop makes no other timer late: one rings at its time, one later by the hidden time.
    // Without the lateness, which a busy machine causes, that is exact.
    let stream = try daemon.events(after: begunSeq)
    let hiddenUsec = try #require(try stream.event { $0.leftSpan != nil }.span).elapsedUsec
    for (timer, usec) in [(tea, 10 * second), (work, 10 * second + hiddenUsec)] {
      let event = try stream.event { $0.type == "rang" && $0.name == timer.name }
      let dueUsec = event.timeUsec - (event.lateUsec ?? 0)
      #expect(abs(dueUsec - timer.startedUsec - usec) < 50 * millisecond)
      #expect([nil, .busy].contains(event.lateCause) && (event.lateUsec ?? 0) < second)
    }
    let boundUsec = 50 * millisecond + bare.lateUsec()
    return excess("rang after SIGCONT", rang.timeUsec - before, over: boundUsec).map { [$0] } ?? []
  }

  // The SIGCONT comes at moments from before the daemon sees the SIGTSTP until after the process
  // has stopped. None may be lost to the SIGSTOP.
  @Test func `A SIGCONT after a SIGTSTP, however close, always wins`() throws {
    try client.start("tea", usec: hour)
    var random = SplitMix(seed: Seed.ofThisRun)
    for round in 0..<1_000 {
      daemon.process.signal(SIGTSTP)
      spin(usec: Int64(random.next() % 3_000))
      daemon.process.signal(SIGCONT)
      do {
        _ = try client.status()
      } catch {
        throw Unmet(
          description: "stopped for good in round \(round), seed \(Seed.ofThisRun): \(error)")
      }
    }
    let status = try client.status()
    #expect(status.openSpan == nil)
    let events = try daemon.settledLedger()
    let entered = events.filter { $0.type == "did_enter_background" }
    let left = events.filter { $0.type == "will_enter_foreground" }
    #expect(entered.compactMap(\.span?.span) == left.compactMap(\.span?.span))
    #expect(left.allSatisfy { $0.span?.causes == ["stop"] })
  }

  @Test func `While the daemon is stopped, its watchdog is off and its status says so`() throws {
    let rig = try Rig()
    let daemon = try rig.daemon { $0.environment["WATCHDOG_USEC"] = "60000000" }
    try daemon.stop()
    try daemon.notifications.pick("the watchdog switched off") { $0 == "WATCHDOG_USEC=0" }
    try daemon.notifications.next("the status line of the stop") {
      $0 == "STATUS=Stopped by SIGTSTP; SIGCONT continues."
    }
    try daemon.proceed()
    try daemon.notifications.pick("the watchdog switched on") { $0 == "WATCHDOG_USEC=60000000" }
    let status = try daemon.notifications.next("the status line after it") {
      $0.hasPrefix("STATUS=")
    }
    #expect(status == "STATUS=0 running")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `SIGTERM and SIGINT save and end the daemon`(signal: Int32) throws {
    try client.start("tea", usec: hour)
    daemon.process.signal(signal)
    #expect(try daemon.process.awaitEnd() == .exited(0))
    #expect(try Data(contentsOf: URL(filePath: daemon.databasePath + "-wal")).isEmpty)
    #expect(try openSpans().hasPrefix("down|"))
  }

  @Test func `A SIGTERM to a stopped daemon ends it on SIGCONT, with everything saved`() throws {
    let tea = try client.start("tea", usec: hour)
    try daemon.stop()
    daemon.process.signal(SIGTERM)
    #expect(daemon.process.stateLetter == "T")
    daemon.process.signal(SIGCONT)
    #expect(try daemon.process.awaitEnd() == .exited(0))

    let next = try rig.daemon()
    let seen = try next.connect().get("tea")
    #expect(seen.id == tea.id && seen.state == .running)
    #expect(seen.deadlineBoottimeUsec == tea.deadlineBoottimeUsec)
    let spans = try next.ledger { $0.leftSpan?.causes == ["down"] }.compactMap(\.leftSpan)
    #expect(spans.map(\.causes) == [["stop"], ["down"]])
    #expect(spans.allSatisfy { !$0.estimated })
  }

  @Test func `Commands say at once that the daemon is stopped, and how to continue it`() throws {
    try daemon.stop()
    for arguments in [["list"], ["doctor"], ["wait", "tea"], ["events"], ["4min"]] {
      let begun = Now.boottimeUsec
      let process = try rig.start(
        [try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
      #expect(try process.awaitEnd() == .exited(arguments == ["doctor"] ? 1 : 4))
      #expect(Now.boottimeUsec - begun < 8 * second, "it waited for an answer")
      #expect(process.output.contains("kill -CONT \(daemon.process.pid)"), "\(process.output)")
    }
    try daemon.proceed()
    #expect(try daemon.status().pid == Int64(daemon.process.pid))
  }

  @Test(arguments: [
    ["watch", "--json"], ["events", "--since", "-1h", "--follow"], ["watch", "--format", "tmux"],
  ])
  func `A command that follows the daemon waits for a stopped one, and says so`(
    arguments: [String]
  ) throws {
    try daemon.connect().start("tea", usec: 240 * second)
    try daemon.stop()
    let process = try rig.start(
      [try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
    try process.lines.next("the remark") {
      $0.contains("waiting for kill -CONT \(daemon.process.pid)")
    }
    try daemon.proceed()
    try process.lines.next("tea") { $0.contains("tea") }
    process.signal(SIGTERM)
    #expect(try process.awaitEnd() == .killed(SIGTERM))
  }
}
