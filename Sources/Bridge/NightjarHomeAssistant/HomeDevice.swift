public import NightjarModel
internal import Varlink

/// Describes a machine to Home Assistant: one device with a fixed set of entities, and a set of
/// entities for each timer that the user names.
///
/// The description depends only on the configuration, not on the timers. The states of the timers,
/// and whether the buttons are available, are published on other topics. Source:
/// https://www.home-assistant.io/integrations/mqtt/ ("MQTT discovery", "Device discovery payload").
public struct HomeDevice: Sendable {
  /// The longest state that Home Assistant accepts, in characters.
  public static let textLength = 255
  /// The event type of a ring.
  public static let finished = "finished"
  /// The event type of a crossed band.
  public static let bandCrossed = "band_crossed"

  private let topics: HomeTopics
  private let names: [String]
  private let allowed: RemotePermission
  private let version: String

  /// - Parameters:
  ///   - names: the timers that have entities of their own.
  ///   - allowed: what Home Assistant may do. The description has only the buttons and text fields
  ///     that this permits.
  ///   - version: the version of Nightjar.
  public init(_ topics: HomeTopics, names: [String], allowed: RemotePermission, version: String) {
    self.topics = topics
    self.names = names
    self.allowed = allowed
    self.version = version
  }

  /// The description as a payload of a message. O(names).
  ///
  /// - Parameter former: the entities of an earlier description. For an entity that does not exist
  ///   any more, the payload contains only the platform, which makes Home Assistant remove the
  ///   entity.
  package func config(former: [HomeEntity] = []) -> [UInt8] {
    config(removed(former).map { ($0, $0.removal) })
  }

  /// The description with all entities of an earlier one. The bridge must publish it before
  /// `config`, because Home Assistant removes only entities that it has seen since its start.
  ///
  /// - Returns: nil if no entity has to be removed.
  package func configToRemove(_ former: [HomeEntity]) -> [UInt8]? {
    let removed = removed(former)
    return removed.isEmpty ? nil : config(removed.map { ($0, $0.placeholder(topics)) })
  }

  /// The entities of an earlier description that do not exist any more.
  private func removed(_ former: [HomeEntity]) -> [HomeEntity] {
    let keys = Set(entities.map(\.key))
    return former.filter { !keys.contains($0.key) }
  }

  private func config(_ removed: [(HomeEntity, JSONValue)]) -> [UInt8] {
    let all = entities.map { ($0, $0.json(topics, availability)) } + removed
    let device: JSONValue = [
      "ids": .string(topics.identifier), "name": .string("Nightjar \(topics.address.device)"),
      "mf": "Nightjar", "mdl": "nightjar-mqtt", "sw": .string(version),
    ]
    let config: JSONValue = [
      "dev": device, "o": ["name": "nightjar-mqtt", "sw": .string(version)],
      "cmps": .object(all.map { JSONValue.Member($0.0.key, $0.1) }),
    ]
    return config.bytes
  }

  /// The platforms of the entities that a description can have.
  private static let platforms = ["button", "event", "sensor", "text"]

  /// The entities of a description. Entities of other platforms are left out, because no bridge
  /// wrote them.
  package static func entities(of config: [UInt8]) -> [HomeEntity] {
    let members = (try? JSONValue.parse(config))?["cmps"]?.objectValue ?? []
    return members.compactMap { member in
      guard let platform = member.value["p"]?.stringValue, platforms.contains(platform) else {
        return nil
      }
      return HomeEntity(
        key: member.key, platform: platform, members: [],
        isRemoved: member.value["unique_id"] == nil)
    }
  }

  /// The topics from which retained states must be removed: those of entities that an earlier
  /// description has and this description lacks. O(entities).
  ///
  /// - Parameters:
  ///   - former: the entities of the earlier description.
  ///   - isShown: whether this machine is still configured for Home Assistant.
  package func topicsToClear(_ former: [HomeEntity], isShown: Bool) -> [String] {
    let keysToKeep = isShown ? Set(names.map { Self.key($0, Self.statePart) }) : []
    let words = former.filter { !$0.isRemoved && !keysToKeep.contains($0.key) }.compactMap {
      Self.word(ofStateKey: $0.key)
    }
    return topics.retained(words: words) + (isShown ? [] : topics.retained(names: []))
  }

  // MARK: - Entities

  /// The condition under which the machine is available: without its daemon, what was known is
  /// still shown. An entity may have further conditions.
  private var availability: JSONValue {
    [
      "t": .string(topics.presence),
      "val_tpl": .string(Self.available("value_json.state in ['online', 'no_daemon']")),
    ]
  }

  /// A template for the availability of an entity. Home Assistant also evaluates it for an empty
  /// message, which removes a retained value.
  fileprivate static func available(_ condition: String) -> String {
    "{{ 'online' if value_json is defined and \(condition) else 'offline' }}"
  }

  /// A template that reads a member of a value. If the member is missing, the result is `None`,
  /// which means an unknown state.
  private static func member(_ name: String) -> JSONValue {
    .string("{{ value_json.\(name) if value_json is defined else None }}")
  }

  private static let statePart = "state"
  private static let keyPrefix = "timer_"

  private static func key(_ name: String, _ part: String) -> String {
    "\(keyPrefix)\(HomeTopics.key(name))_\(part)"
  }

  /// - Returns: the timer's name as a level of a topic; nil: the key belongs to no timer.
  private static func word(ofStateKey key: String) -> String? {
    let suffix = "_\(statePart)"
    guard key.hasPrefix(keyPrefix), key.hasSuffix(suffix) else { return nil }
    return HomeTopics.word(ofKey: String(key.dropFirst(keyPrefix.count).dropLast(suffix.count)))
  }

  private var entities: [HomeEntity] { entities(of: nil) + names.flatMap { entities(of: $0) } }

  /// - Parameter timer: a timer with entities of its own; nil: the entities of the machine.
  private func entities(of timer: String?) -> [HomeEntity] {
    let topic = timer.map(topics.timer) ?? topics.next
    func entity(
      _ platform: String, _ part: String, _ name: String, _ members: JSONValue,
      if condition: String? = nil
    ) -> HomeEntity {
      HomeEntity(
        key: timer.map { Self.key($0, part) } ?? part, platform: platform,
        members: [.init("name", .string(timer.map { "\($0) \(name)" } ?? name))]
          + (members.objectValue ?? []), availability: condition.map { (topic, $0) })
    }
    func sensor(
      _ part: String, _ name: String, _ member: String, _ more: JSONValue
    ) -> HomeEntity {
      let members: JSONValue = ["stat_t": .string(topic), "val_tpl": Self.member(member)]
      return entity(
        "sensor", part, name, .object((members.objectValue ?? []) + (more.objectValue ?? [])),
        if: timer == nil ? nil : "value_json.state != 'absent'")
    }
    var entities =
      timer == nil
      ? [
        sensor("next_finish", "Next ring", "finishes_at", ["dev_cla": "timestamp"]),
        sensor("next_timer", "Next timer", "next", ["ic": "mdi:timer-outline"]),
        sensor("timers", "Timers", "timers", ["ic": "mdi:counter", "stat_cla": "measurement"]),
      ]
      : [
        sensor("finish", "rings", "finishes_at", ["dev_cla": "timestamp"]),
        sensor(
          Self.statePart, "state", "state",
          ["dev_cla": "enum", "ops": ["active", "paused", "ringing", "idle", "absent"]]),
      ]
    entities.append(
      entity(
        "event", "ring", timer == nil ? "Ring" : "ring",
        [
          "stat_t": .string(topics.rings(of: timer)),
          "evt_typ": [.string(Self.finished), .string(Self.bandCrossed)], "ic": "mdi:bell-ring",
        ]))
    if allowed >= .start {
      entities.append(
        entity(
          "text", "start", timer == nil ? "Start a timer" : "start",
          [
            "cmd_t": .string(topics.text(for: timer)), "stat_t": .string(topics.answer(to: timer)),
            "ic": "mdi:timer-plus-outline",
          ]))
    }
    guard allowed >= .change else { return entities }
    return entities
      + Self.buttons.map { action, name in
        var press = [JSONValue.Member("action", .string(action.rawValue))]
        if let timer { press.append(.init("timer", .string(timer))) }
        return entity(
          "button", action.rawValue, timer == nil ? name : name.lowercased(),
          ["cmd_t": .string(topics.command), "pl_prs": .string(JSONValue.object(press).text)],
          if: "'\(action.rawValue)' in value_json.can")
      }
  }

  /// The buttons of a timer, and their names.
  private static let buttons: [(HomeAction, String)] = [
    (.pause, "Pause"), (.unpause, "Resume"), (.cancel, "Cancel"), (.addTime, "Add 5 minutes"),
    (.dismiss, "Dismiss"), (.snooze, "Snooze 5 minutes"),
  ]
}

/// One entity of a description.
package struct HomeEntity: Sendable {
  /// The key of the entity in the description.
  package let key: String
  /// The platform of the entity in Home Assistant: `sensor`, `button` and so on.
  package let platform: String
  let members: [JSONValue.Member]
  /// Whether the description only makes Home Assistant remove the entity.
  var isRemoved = false
  /// A topic, and a condition on its value. The entity is available only if the machine is online
  /// and the condition is true. Nil: the entity is available whenever the machine is online.
  var availability: (topic: String, condition: String)?

  /// The unique id of the entity in Home Assistant. An entity that is removed and added again has
  /// the same id.
  private func id(_ topics: HomeTopics) -> JSONValue { .string("\(topics.identifier)-\(key)") }

  /// - Parameter machine: the condition under which the machine is available.
  func json(_ topics: HomeTopics, _ machine: JSONValue) -> JSONValue {
    var conditions = [machine]
    if let availability {
      conditions.append([
        "t": .string(availability.topic),
        "val_tpl": .string(HomeDevice.available(availability.condition)),
      ])
    }
    return .object(
      [.init("p", .string(platform)), .init("unique_id", id(topics))] + members
        + [.init("avty", .array(conditions)), .init("avty_mode", "all")])
  }

  /// The payload that removes the entity.
  var removal: JSONValue { ["p": .string(platform)] }

  /// The smallest description that Home Assistant accepts for an entity. For an entity that it does
  /// not know yet, Home Assistant makes an ID from the entity's name, and refuses an ID that is too
  /// long. So the name here is short.
  func placeholder(_ topics: HomeTopics) -> JSONValue {
    let topic = JSONValue.string(topics.nowhere)
    var members: [JSONValue.Member] = [
      .init("p", .string(platform)), .init("unique_id", id(topics)), .init("name", "removed"),
    ]
    switch platform {
    case "button", "text": members.append(.init("cmd_t", topic))
    case "event":
      members += [.init("stat_t", topic), .init("evt_typ", [.string(HomeDevice.finished)])]
    default: members.append(.init("stat_t", topic))
    }
    return .object(members)
  }
}
