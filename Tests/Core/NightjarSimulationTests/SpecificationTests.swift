import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

/// A specification survives crashes and restarts of the daemon.
@Suite(.blocking) struct SpecificationTests {
  /// Each property has a value other than its default in one of these. No timer can have all of
  /// them.
  private static let samples: [TimerSpec] = [
    sample(of: .countdown) { spec in
      (spec.repeats, spec.rounds, spec.clock, spec.durationUsec) = (true, 3, .wall, hour)
      (spec.late, spec.missed, spec.wakes) = (.fireWithin(usec: 5), .each, true)
      spec.bands = [
        Band(
          name: "warn", remainingUsec: 60_000_000, color: "red", text: "Now",
          progress: ProgressRange(from: 900_000, to: 100_000))
      ]
      spec.attachments = Attachments(
        labels: [Label(key: "kind", value: "drink")], data: Array("{\"cups\":2}".utf8),
        ring: EncodedRing(
          publicJSON: Array("{\"ring_for_usec\":5,\"insist_usec\":7,\"exec\":[\"ls\"]}".utf8),
          secretJSON: Array("[\"x\"]".utf8), forUsec: 5, insistUsec: 7),
        message: "Take it out")
    },
    sample(of: .alarm) { spec in
      (spec.clock, spec.late) = (.wall, .skip)
      let today = Int32(SimulatedClocks().now.realtimeUsec / (24 * hour))
      spec.schedule = Schedule(
        expression: "\(hour)/0", zone: "Fixed",
        except: [DayRange(first: today + 2, last: today + 3)], until: today + 9)
    },
    sample(of: .alarm) { spec in
      (spec.clock, spec.atUsec) = (.wall, SimulatedClocks().now.realtimeUsec + hour)
    },
    sample(of: .sequence) { spec in
      (spec.missed, spec.longEvery, spec.afterSleep) = (.skip, 4, .restart)
      (spec.clock, spec.afterAway) = (.present, .break)
      spec.steps = [
        Step(name: "work", durationUsec: hour, waits: true),
        Step(name: "rest", durationUsec: hour, isBreak: true, longUsec: 2 * hour),
      ]
    },
    sample(of: .stopwatch) { $0.clock = .awake },
  ]

  private static func sample(of kind: TimerKind, _ change: (inout TimerSpec) -> Void) -> TimerSpec {
    var spec = TimerSpec.plain
    spec.kind = kind
    change(&spec)
    return spec
  }

  /// The properties of a value and of the structures in it, by name.
  private static func properties(_ value: Any, in path: String = "") -> [String: String] {
    var properties: [String: String] = [:]
    for child in Mirror(reflecting: value).children {
      let name = path + (child.label ?? "")
      if child.value is TimerSpec.Shared || child.value is Attachments {
        properties.merge(self.properties(child.value, in: name + ".")) { $1 }
      } else {
        properties[name] = "\(child.value)"
      }
    }
    return properties
  }

  @Test func `Each property of a specification has another value than its default in a sample`() {
    let structures: [(plain: Any, least: Int, inSamples: [Any])] = [
      (TimerSpec.plain, 17, Self.samples),
      (Band(name: "", remainingUsec: 0), 2, Self.samples.flatMap(\.bands)),
      (Step(name: "", durationUsec: 0), 2, Self.samples.flatMap(\.steps)),
      (Schedule(expression: "", zone: ""), 2, Self.samples.compactMap(\.schedule)),
      (ProgressRange(from: 0, to: 0), 2, Self.samples.flatMap(\.bands).compactMap(\.progress)),
      (Label(key: "", value: ""), 2, Self.samples.flatMap(\.attachments.labels)),
    ]
    for (plain, least, parts) in structures {
      let properties = Self.properties(plain)
      #expect(properties.count >= least)
      for (name, value) in properties {
        #expect(
          parts.contains { Self.properties($0)[name] != value },
          "add a sample with another \(name) of \(type(of: plain))")
      }
    }
  }

  @Test func `A timer has its whole specification after a crash and after a restart`() throws {
    let machine = SimulatedMachine(calendar: FakeCalendar())
    try machine.boot()
    for (index, sample) in Self.samples.enumerated() {
      #expect(sample.problem == nil)
      try machine.runIteration { core in
        #expect(throws: Never.self) {
          _ = try core.engine.start("t\(index)", sample, at: machine.clocks.now)
        }
      }
    }
    func check() throws {
      let engine = try #require(machine.core).engine
      for (index, sample) in Self.samples.enumerated() {
        let spec = try engine.timerSpec(at: engine.require("t\(index)"))
        #expect(spec == sample)
        let (ring, right) = (spec.attachments.ring, sample.attachments.ring)
        #expect(ring?.forUsec == right?.forUsec && ring?.insistUsec == right?.insistUsec)
      }
    }
    try check()
    try machine.kill(startedAfterUsec: second)
    try check()
    try machine.restart(afterUsec: second)
    try check()
  }
}
