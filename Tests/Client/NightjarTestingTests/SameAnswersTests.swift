import NightjarClient
import NightjarTestSupport
import NightjarTesting
import Testing
import Varlink

/// A test daemon's replies are those of the daemon, except for times.
@Suite(.blocking) struct SameAnswersTests {
  /// The operations whose only parameter is the name.
  private static let operations = Wire.Operation.allCases.filter {
    ![.extend, .snooze, .update].contains($0)
  }

  private let rig: Rig

  init() throws { rig = try Rig() }

  /// Starts a real daemon.
  ///
  /// - Returns: the path of its socket.
  private func nightjard() throws -> String {
    let manager = try NotifySocket(path: "\(rig.path)/notify")
    let socket = "\(rig.path)/socket"
    _ = try rig.start(
      [try Binaries.nightjard(), "--socket", socket, "--state-dir", "\(rig.path)/state"],
      environment: [
        "PATH": "/nonexistent", "HOME": "\(rig.path)/home", "XDG_RUNTIME_DIR": "\(rig.path)/run",
        "NOTIFY_SOCKET": manager.path, "DBUS_SYSTEM_BUS_ADDRESS": "none",
      ])
    try manager.notifications.next("READY=1") { $0.contains("READY=1") }
    return socket
  }

  private func answers(at path: String, to calls: [Call]) throws -> [JSONValue] {
    let connection = try Connection(path: path, deadline: .after(usec: 30 * second))
    return try connection.callAll(calls, deadline: .after(usec: 120 * second)).map { answer in
      switch answer {
      case .success(let reply): Self.timeless(reply)
      case .failure(let refusal): .string("refused: \(refusal)")
      }
    }
  }

  /// A reply without the fields that depend on the time.
  private static func timeless(_ value: JSONValue, in key: String = "") -> JSONValue {
    switch value {
    case .object(let members):
      // No time passes in a test daemon, so its pauses and the steps that it left have no length.
      let kept = members.filter { !["paused_usec", "counted_before_usec"].contains($0.key) }
      return .object(kept.map { .init($0.key, timeless($0.value, in: $0.key)) })
    case .array(let elements): return .array(elements.map { timeless($0, in: key) })
    default:
      let isTimed =
        key.hasSuffix("_usec") && key != "duration_usec" || ["progress", "laps"].contains(key)
      return isTimed ? .string("timed") : value
    }
  }

  /// Random calls with one reply each; no timer expires while the test runs.
  private static func calls(_ count: Int, _ random: inout SplitMix) -> [Call] {
    (0..<count).map { _ in
      let name = ["tea", "egg", "run/1/a", "run/2", ""].randomElement(using: &random) ?? ""
      let usec = Int64.random(in: 1...3, using: &random) * hour
      switch Int.random(in: 0..<24, using: &random) {
      case 0...3:
        return .start(name: name, durationUsec: usec, replace: Bool.random(using: &random))
      case 4:
        var timer = Wire.Start(name: name, .countdown(.microseconds(usec)))
        (timer.ifAbsent, timer.labels, timer.data) = (true, ["a": "b"], ["n": .integer(usec)])
        return .start(timer)
      case 5: return .start(Wire.Start(name: name, .stopwatch))
      case 6:
        let steps = [Wire.Step("work", for: .seconds(3600)), .init("rest", for: .seconds(900))]
        return .start(Wire.Start(name: name, .sequence(.init(steps: steps))))
      case 7:
        var timer = Wire.Start(name: name, .repeating(.seconds(3600), rounds: 3))
        timer.bands = [Wire.Band("soon", remaining: .seconds(600), color: "red")]
        return .start(timer)
      case 8: return .start(Wire.Start(name: name, .calendar("bad day", zone: nil, rounds: 0)))
      case 9:
        return .start(name: name, durationUsec: [-1, 0, .max].randomElement(using: &random) ?? 0)
      case 10: return .get(name: name)
      case 11: return .list(prefix: ["run", "tea", nil].randomElement(using: &random) ?? nil)
      case 12: return .list(states: [.paused, .cancelled], limit: 1)
      case 13: return .extend(name: name, byUsec: usec)
      case 14: return .snooze(name: name, byUsec: usec)
      case 15: return .update(name: name, labels: [:], data: ["k": "v"], bands: nil)
      case 16: return .why(name: name)
      case 17: return Call(method: "org.nightjar.Timers.Hatch")
      case 18: return Call(method: "org.nightjar.Timers.Get", parameters: ["nam": "tea"])
      default: return .perform(Self.operations.randomElement(using: &random) ?? .pause, name: name)
      }
    }
  }

  @Test func `200 random calls are answered as nightjard answers them`() throws {
    var random = SplitMix(seed: Seed.ofThisRun)
    let calls = Self.calls(200, &random)
    let daemon = try TestDaemon()
    let real = try answers(at: try nightjard(), to: calls)
    let fake = try answers(at: daemon.socketPath, to: calls)
    #expect(real.count == 200 && fake.count == 200)
    for (call, (real, fake)) in zip(calls, zip(real, fake)) where real != fake {
      Issue.record(
        "seed \(Seed.ofThisRun): \(call.method) \(call.parameters.text): \(real.text) | \(fake.text)"
      )
    }
    // A check that the replies were not all alike.
    #expect(Set(real.map(\.text)).count > 50)
  }
}
