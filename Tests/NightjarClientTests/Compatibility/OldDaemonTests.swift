import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

/// The replies of the daemon of 5ae14e9, byte for byte, as today's client reads them.
@Suite(.blocking) struct OldDaemonTests {
  private static let names = ["traffic", "killed.said", "stopped.said"]

  private static func answers() throws -> [(call: JSONValue, reply: VarlinkReply)] {
    try names.flatMap { try Recording($0).answers() }
  }

  @Test func `Timers of 5ae14e9 are read with all their fields; newer fields are absent`() throws {
    var (kinds, clocks, states): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    for (_, reply) in try Self.answers() {
      let timers = reply.parameters["timers"]?.arrayValue ?? []
      for json in timers + [reply.parameters["timer"]].compactMap(\.self) {
        let timer = try NightjarTimer(json)
        #expect(timer.id == json["id"]?.integerValue && timer.name == json["name"]?.stringValue)
        #expect(timer.kind.rawValue == json["kind"]?.stringValue)
        #expect(timer.state.rawValue == json["state"]?.stringValue)
        #expect(timer.clock.rawValue == json["clock"]?.stringValue)
        #expect(timer.durationUsec == json["duration_usec"]?.integerValue)
        #expect(timer.remainingUsec == json["remaining_usec"]?.integerValue)
        #expect(timer.elapsedUsec == json["elapsed_usec"]?.integerValue)
        #expect(timer.progress == json["progress"]?.doubleValue)
        #expect(timer.deadlineUsec == json["deadline_usec"]?.integerValue)
        #expect(timer.firedUsec == json["fired_usec"]?.integerValue)
        #expect(timer.lateCause?.rawValue == json["late_cause"]?.stringValue)
        #expect(timer.isSkipped == (json["skipped"] != nil))
        #expect(timer.missed.rawValue == json["missed"]?.stringValue ?? "once")
        #expect(timer.band?.name == json["band"]?["name"]?.stringValue)
        #expect(timer.bands.count == json["bands"]?.arrayValue?.count ?? 0)
        #expect(timer.steps.count == json["steps"]?.arrayValue?.count ?? 0)
        #expect(timer.step?.number == json["step"]?["number"]?.integerValue)
        #expect(timer.laps.count == json["laps"]?.arrayValue?.count ?? 0)
        #expect(timer.repetition?.rung == json["repeat"]?["rung"]?.integerValue)
        #expect(timer.afterSleep?.rawValue == json["after_sleep"]?.stringValue)
        #expect(timer.wake?.isPossible == json["wake"]?["can"]?.boolValue)
        #expect(
          timer.ring?.command.count == json["ring"].map { $0["exec"]?.arrayValue?.count ?? 0 })
        #expect(timer.data == json["data"])
        #expect(timer.earlyUsec == nil && !timer.isEstimated && !timer.waitsForClock)
        kinds.insert(timer.kind.rawValue)
        clocks.insert(timer.clock.rawValue)
        states.insert(timer.state.rawValue)
      }
    }
    #expect(kinds.count == 4 && clocks.count == 3 && states.count == 5, "all there are")
  }

  @Test func `Events of 5ae14e9 are read with all their fields; newer fields are absent`() throws {
    var types: Set<String> = []
    for (_, reply) in try Self.answers() {
      let events = reply.parameters["events"]?.arrayValue ?? []
      for json in events + [reply.parameters["event"]].compactMap(\.self) {
        let event = try Event(json)
        #expect(event.seq == json["seq"]?.integerValue)
        #expect(event.timeUsec == json["time_usec"]?.integerValue)
        #expect(event.type.rawValue == json["type"]?.stringValue)
        #expect(event.name == json["name"]?.stringValue)
        #expect(event.durationUsec == json["duration_usec"]?.integerValue)
        #expect(event.lateUsec == json["late_usec"]?.integerValue)
        #expect(event.span?.number == json["span"]?["span"]?.integerValue)
        #expect(event.span?.causes.map(\.rawValue) == json["span"]?["causes"]?.arrayValue?.words)
        #expect(event.outcome?.rawValue == json["outcome"]?.stringValue)
        #expect(event.band?.name == json["band"]?["name"]?.stringValue)
        #expect(event.sinceSeq == nil && event.earlyUsec == nil && !event.isEstimated)
        types.insert(event.type.rawValue)
      }
    }
    #expect(types.count == 30, "all there are: \(types.sorted())")
  }

  @Test func `Status, stories and refusals of 5ae14e9 are read`() throws {
    var refusals: [NightjarError] = []
    var (statuses, stories) = (0, 0)
    for (call, reply) in try Self.answers() {
      if let error = reply.error {
        refusals.append(NightjarError(name: error, parameters: reply.parameters))
        continue
      }
      switch call["method"]?.stringValue {
      case "org.nightjar.Timers.Status":
        let status = try DaemonStatus(reply.parameters)
        #expect(status.clocks.bootID == reply.parameters["clocks"]?["boot_id"]?.stringValue)
        #expect(status.storage.schemaVersion == 5 && status.storage.loss == nil)
        statuses += 1
      case "org.nightjar.Timers.Why":
        let story = try Story(reply.parameters)
        #expect(story.events.count == reply.parameters["events"]?.arrayValue?.count)
        stories += 1
      default: continue
      }
    }
    #expect(statuses > 10 && stories > 5)
    #expect(
      refusals == [
        .timerExists(name: "tea"), .timerNotFound(name: "coffee"),
        .invalidTransition(name: "gift", state: "running", operation: "snooze"),
        .notForKind(name: "tea", kind: "countdown", operation: "lap"),
      ])
  }

  @Test func `A failed disk of 5ae14e9, which did not report doubt, is not in doubt`() {
    let error = NightjarError(
      name: "org.nightjar.Timers.StorageFailed", parameters: ["reason": "disk full"])
    #expect(error == .storageFailed(reason: "disk full", inDoubt: false))
  }

  @Test func `Today's client calls the methods that a daemon of 5ae14e9 has, over its socket`()
    async throws
  {
    let recording = try Recording("killed.said").answers()
    let daemon = try FakeDaemon { request in
      let answer = recording.first {
        $0.call["method"]?.stringValue == "org.nightjar.Timers.\(request.method)"
      }
      return [.reply(answer?.reply.parameters ?? [:])]
    }
    let client = TimerClient(socketPath: daemon.path)
    let timers = try await client.timers()
    #expect(timers.contains { $0.name == "late/work" && $0.steps.count == 2 })
    #expect(try await client.status().storage.isGood)
    #expect(try await client.why("shift").events.last?.type != nil)
  }
}

extension [JSONValue] {
  fileprivate var words: [String] { compactMap(\.stringValue) }
}
