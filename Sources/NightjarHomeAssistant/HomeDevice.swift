internal import NightjarModel
internal import NightjarVarlink

/// Describes a machine to Home Assistant: one device with a fixed set of entities, and a set for
/// each timer that the user names.
///
/// The description depends only on the configuration, not on the timers: their states have topics
/// of their own, and so has the availability of buttons. Source:
/// https://www.home-assistant.io/integrations/mqtt/ ("MQTT discovery", "Device discovery payload").
public struct HomeDevice: Sendable {
  /// The longest text of an entity: Home Assistant refuses longer states.
  public static let textLength = 255
  /// The event types of the event entities.
  public static let finished = "finished"
  /// The same for a band.
  public static let bandCrossed = "band_crossed"

  private let topics: HomeTopics
  private let names: [String]
  private let version: String

  /// - Parameters:
  ///   - names: the timers with entities of their own.
  ///   - version: the version of Nightjar.
  public init(_ topics: HomeTopics, names: [String], version: String) {
    self.topics = topics
    self.names = names
    self.version = version
  }

  /// The description as a payload. O(names).
  ///
  /// - Parameter former: the entities of an earlier description. For an entity that no longer
  ///   exists, the payload contains only the platform, which removes it.
  package func config(former: [HomeEntity] = []) -> [UInt8] {
    let entities = entities
    let keys = Set(entities.map(\.key))
    let removed = former.filter { !keys.contains($0.key) }
    return config(
      entities.map { ($0, $0.json(topics, availability)) } + removed.map { ($0, $0.removal) })
  }

  /// The description with all entities of an earlier one: Home Assistant removes only entities that
  /// it has seen since it started.
  ///
  /// - Returns: nil if no entity was removed, or if the removed ones are not known in enough
  ///   detail.
  package func configToRemove(_ former: [HomeEntity]) -> [UInt8]? {
    let entities = entities
    let keys = Set(entities.map(\.key))
    let removed = former.filter { !keys.contains($0.key) }
    guard !removed.isEmpty else { return nil }
    return config(
      entities.map { ($0, $0.json(topics, availability)) }
        + removed.map { ($0, $0.placeholder(topics)) })
  }

  private func config(_ entities: [(HomeEntity, JSONValue)]) -> [UInt8] {
    let device: JSONValue = [
      "ids": .string(topics.identifier), "name": .string("Nightjar \(topics.address.device)"),
      "mf": "Nightjar", "mdl": "nightjar-mqtt", "sw": .string(version),
    ]
    return JSONValue.object([
      .init("dev", device), .init("o", ["name": "nightjar-mqtt", "sw": .string(version)]),
      .init(
        "cmps",
        .object(entities.map { JSONValue.Member($0.0.key, $0.1) })),
    ]).bytes
  }

  /// The entities of a description; other members are ignored.
  package static func entities(of config: [UInt8]) -> [HomeEntity] {
    let members = (try? JSONValue.parse(config))?["cmps"]?.objectValue ?? []
    return members.compactMap { member in
      member.value["p"]?.stringValue.map {
        HomeEntity(key: member.key, platform: $0, members: [])
      }
    }
  }

  // MARK: - Entities

  /// The availability of the machine; an entity may have further conditions.
  private var availability: JSONValue {
    [
      "t": .string(topics.status),
      "val_tpl": "{{ 'online' if value_json.state == 'online' else 'offline' }}",
    ]
  }

  private var entities: [HomeEntity] { ofMachine + names.flatMap(ofTimer) }

  private var ofMachine: [HomeEntity] {
    func sensor(_ key: String, _ name: String, _ member: String, _ more: [JSONValue.Member])
      -> HomeEntity
    {
      HomeEntity(
        key: key, platform: "sensor",
        members: [
          .init("name", .string(name)), .init("stat_t", .string(topics.next)),
          .init("val_tpl", .string("{{ value_json.\(member) }}")),
        ] + more)
    }
    return [
      sensor("next_finish", "Next ring", "finishes_at", [.init("dev_cla", "timestamp")]),
      sensor("next_timer", "Next timer", "next", [.init("ic", "mdi:timer-outline")]),
      sensor(
        "timers", "Timers", "timers",
        [.init("ic", "mdi:counter"), .init("stat_cla", "measurement")]),
      rings(key: "ring", name: "Ring", timer: nil),
      text(key: "start", name: "Start a timer", timer: nil),
    ]
      + Self.buttons.map { action, name in
        let member: String =
          switch action {
          case .dismiss, .snooze: "ringing"
          case .unpause: "paused"
          default: "next"
          }
        return button(
          action, key: action.rawValue, name: name, timer: nil,
          topic: topics.next, condition: "value_json.\(member)")
      }
  }

  private func ofTimer(_ name: String) -> [HomeEntity] {
    let word = HomeTopics.key(name)
    func key(_ part: String) -> String { "timer_\(word)_\(part)" }
    let topic = topics.timer(name)
    func sensor(_ part: String, _ title: String, _ member: String, _ more: [JSONValue.Member])
      -> HomeEntity
    {
      HomeEntity(
        key: key(part), platform: "sensor",
        members: [
          .init("name", .string("\(name) \(title)")), .init("stat_t", .string(topic)),
          .init("val_tpl", .string("{{ value_json.\(member) }}")),
        ] + more,
        availability: (topic, "value_json.state != 'absent'"))
    }
    return [
      sensor("finish", "rings", "finishes_at", [.init("dev_cla", "timestamp")]),
      sensor(
        "state", "state", "state",
        [
          .init("dev_cla", "enum"),
          .init("ops", ["active", "paused", "ringing", "idle", "absent"]),
        ]),
      rings(key: key("ring"), name: "\(name) ring", timer: name),
      text(key: key("start"), name: "\(name) start", timer: name),
    ]
      + Self.buttons.map { action, title in
        let states: String =
          switch action {
          case .dismiss, .snooze: "['ringing']"
          case .unpause: "['paused']"
          case .pause: "['active']"
          default: "['active', 'paused']"
          }
        return button(
          action, key: key(action.rawValue),
          name: "\(name) \(title.lowercased())", timer: name, topic: topic,
          condition: "value_json.state in \(states)")
      }
  }

  /// The buttons with their names.
  private static let buttons: [(HomeAction, String)] = [
    (.pause, "Pause"), (.unpause, "Resume"), (.cancel, "Cancel"), (.addTime, "Add 5 minutes"),
    (.dismiss, "Dismiss"), (.snooze, "Snooze 5 minutes"),
  ]

  private func rings(key: String, name: String, timer: String?) -> HomeEntity {
    HomeEntity(
      key: key, platform: "event",
      members: [
        .init("name", .string(name)), .init("stat_t", .string(topics.rings(of: timer))),
        .init("evt_typ", [.string(Self.finished), .string(Self.bandCrossed)]),
        .init("ic", "mdi:bell-ring"),
      ])
  }

  private func text(key: String, name: String, timer: String?) -> HomeEntity {
    HomeEntity(
      key: key, platform: "text",
      members: [
        .init("name", .string(name)), .init("cmd_t", .string(topics.text(for: timer))),
        .init("stat_t", .string(topics.answer(to: timer))), .init("ic", "mdi:timer-plus-outline"),
      ])
  }

  private func button(
    _ action: HomeAction, key: String, name: String, timer: String?, topic: String,
    condition: String
  ) -> HomeEntity {
    var press: [JSONValue.Member] = [.init("action", .string(action.rawValue))]
    if let timer { press.append(.init("timer", .string(timer))) }
    return HomeEntity(
      key: key, platform: "button",
      members: [
        .init("name", .string(name)), .init("cmd_t", .string(topics.command)),
        .init("pl_prs", .string(JSONValue.object(press).text)),
      ], availability: (topic, condition))
  }
}

/// One entity of a description.
package struct HomeEntity: Sendable {
  /// The key in the description.
  package let key: String
  /// The platform in Home Assistant: `sensor`, `button` and so on.
  package let platform: String
  let members: [JSONValue.Member]
  /// A further condition on the value of a topic; nil: only the machine's availability counts.
  var availability: (topic: String, condition: String)?

  /// The unique id in Home Assistant. If a removed entity returns, it has the same id.
  private func id(_ topics: HomeTopics) -> JSONValue { .string("\(topics.identifier)-\(key)") }

  /// - Parameter machine: the availability of the machine.
  func json(_ topics: HomeTopics, _ machine: JSONValue) -> JSONValue {
    var conditions = [machine]
    if let availability {
      conditions.append([
        "t": .string(availability.topic),
        "val_tpl": .string("{{ 'online' if \(availability.condition) else 'offline' }}"),
      ])
    }
    return .object(
      [.init("p", .string(platform)), .init("unique_id", id(topics))] + members
        + [.init("avty", .array(conditions)), .init("avty_mode", "all")])
  }

  /// The payload that removes it.
  var removal: JSONValue { ["p": .string(platform)] }

  /// The least that Home Assistant accepts as an entity.
  func placeholder(_ topics: HomeTopics) -> JSONValue {
    let topic = JSONValue.string(topics.next)
    var members: [JSONValue.Member] = [
      .init("p", .string(platform)), .init("unique_id", id(topics)), .init("name", .string(key)),
    ]
    switch platform {
    case "button": members.append(.init("cmd_t", .string(topics.command)))
    case "text": members.append(.init("cmd_t", .string(topics.command)))
    case "event":
      members += [.init("stat_t", topic), .init("evt_typ", [.string(HomeDevice.finished)])]
    default: members.append(.init("stat_t", topic))
    }
    return .object(members)
  }
}
