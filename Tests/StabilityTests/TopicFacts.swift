import NightjarHomeAssistant
import NightjarInterface
import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Varlink

/// The topics on the broker, with the members of their messages, and the words in these. Bridges of
/// several versions share a broker, and scripts and Home Assistant read and write some topics.
enum TopicFacts {
  private static let prefix = "nightjar"

  @Sendable static func all() throws -> [String] {
    guard let machine = DeviceAddress(person: "PERSON", device: "MACHINE"),
      let key = RingKey(ledger: "LEDGER", id: 1, expiry: 2),
      let shared = SessionAddress(group: "GROUP", path: "SESSION")
    else { throw Unmet(description: "these are no words of topics") }
    return try session(shared) + own(machine, key) + home(HomeTopics(machine, prefix: prefix))
  }

  private static func session(_ session: SessionAddress) -> [String] {
    ["\(session.topicPrefix(below: prefix))/PERSON/MACHINE/…"]
  }

  /// A topic, and each member of its message: a name, or a path of names.
  private static func facts(_ topic: String, _ payload: [UInt8]) throws -> [String] {
    [topic] + (try JSONValue.parse(payload).objectValue ?? []).map { "\(topic): \($0.key)" }
  }

  // MARK: Machines

  private static func own(_ machine: DeviceAddress, _ key: RingKey) throws -> [String] {
    let timer: JSONValue = [
      "name": "TIMER", "kind": "stopwatch", "state": "running", "elapsed_usec": 1,
      "open_ring": ["ago_usec": 1, "quiet_usec": 1],
    ]
    guard let value = TimerValue(timer: timer, ledger: "x", nowUsec: 9) else {
      throw Unmet(description: "this is no timer")
    }
    let status = DeviceStatus(
      ledger: "x", lastSeq: 1, timers: 1, digest: "x", isSynchronized: true, active: .yes,
      canRing: true)
    let answer = RingAnswer(
      .snoozed(untilUsec: 9), dueUsec: 1, device: "x", sentUsec: 1, undoneUsec: 1, undoID: "x")
    let presence = DevicePresence(.online, instance: "x", sinceUsec: 1, sentUsec: 1)
    let call = RemoteCall(method: "x", parameters: [:], validUntilUsec: 1)
    let ring = try JSONValue.parse(value.payload)["open_ring"]
    let messages: [(Topic, [UInt8])] = [
      (.presence(machine), presence.payload), (.status(machine), status.payload),
      (.timer(machine, name: "TIMER"), value.payload),
      (.event(machine), EventValue.payload(["seq": 1], ledger: "x")),
      (.call(machine), call.payload), (.reply(machine), OwnerAnswer.reply([:]).payload(of: "x")),
      (.reply(machine), OwnerAnswer.error("x", [:]).payload(of: "x")),
      (.marker(machine), Array("{}".utf8)), (.ring(person: machine.person, key), answer.payload),
    ]
    let words: [(Topic, String, [String])] = [
      (.presence(machine), "state", DevicePresence.State.allCases.map(\.rawValue)),
      (.status(machine), "active", DeviceStatus.Active.allCases.map(\.rawValue)),
      (
        .ring(person: machine.person, key), "how",
        try [RingAnswer.Kind.dismissed, .snoozed(untilUsec: 9), .undone].map {
          var answer = answer
          answer.kind = $0
          return try JSONValue.parse(answer.payload)["how"]?.stringValue ?? ""
        }
      ),
    ]
    var seen: Set<String> = []
    return try messages.flatMap { try facts($0.text(prefix: prefix), $1) }.filter {
      seen.insert($0).inserted
    }
      + (ring?.objectValue ?? []).map {
        "\(Topic.timer(machine, name: "TIMER").text(prefix: prefix)): open_ring.\($0.key)"
      }
      + words.flatMap { topic, member, words in
        words.map { "\(topic.text(prefix: prefix)): \(member) \"\($0)\"" }
      }
  }

  // MARK: Home Assistant

  private static func home(_ topics: HomeTopics) throws -> [String] {
    let device = HomeDevice(topics, names: ["TIMER"], allowed: .start, version: "x")
    let config = device.config()
    // Home Assistant knows an entity again by its unique id.
    let entities = try JSONValue.parse(config)["cmps"]?.objectValue ?? []
    var state = HomeState()
    state.set("TIMER", Array(#"{"state": "running", "duration_usec": 1}"#.utf8))
    // The words for a timer of each kind of state.
    let timers: [JSONValue] = [
      ["state": "running"], ["state": "paused"], ["state": "over", "ringing": "ringing"],
      ["state": "over"], [:],
    ]
    let words = try timers.map { timer in
      var state = HomeState()
      state.set("TIMER", timer.bytes)
      return try JSONValue.parse(state.timer("TIMER"))["state"]?.stringValue ?? ""
    }
    // A member counts if a command with a wrong value of it is refused.
    let members = ["action", "duration", "timer"].filter { member in
      let command = JSONValue.object(
        [.init("action", "pause")].filter { $0.key != member } + [.init(member, [])])
      return HomeCommand(payload: command.bytes) == nil
    }
    let overview = try facts(topics.next, state.overview)
    let timer = try facts(topics.timer("TIMER"), state.timer("TIMER"))
    var found = [
      HomeTopics.birth, topics.rings(), topics.rings(of: "TIMER"), topics.answer(),
      topics.answer(to: "TIMER"), topics.text(), topics.text(for: "TIMER"),
    ]
    found += try facts(topics.config, config)
    found += entities.map { entity in
      let words = ["p", "unique_id"].map { entity.value[$0]?.stringValue ?? "" }
      return "\(topics.config): \(words[0]) \(entity.key) \(words[1])"
    }
    found += overview + timer + words.map { "\(topics.timer("TIMER")): state \"\($0)\"" }
    found += [HomeDevice.finished, HomeDevice.bandCrossed].map {
      "\(topics.rings()): event_type \"\($0)\""
    }
    found += members.map { "\(topics.command): \($0)" }
    found += HomeAction.allCases.map { "\(topics.command): action \"\($0.rawValue)\"" }
    return found
  }
}
