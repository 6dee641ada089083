import NightjarHomeAssistant
import NightjarModel
import Testing
import Varlink

/// The description of a machine for Home Assistant.
@Suite struct HomeDeviceTests {
  private let topics = HomeTopics(
    DeviceAddress(person: "alex", device: "kitchen")!, prefix: "nightjar")

  private func device(_ names: [String], _ allowed: RemotePermission = .start) -> HomeDevice {
    HomeDevice(topics, names: names, allowed: allowed, version: "1")
  }

  private func config(
    _ names: [String], _ allowed: RemotePermission = .start, former: [HomeEntity] = []
  ) throws -> JSONValue {
    try JSONValue.parse(device(names, allowed).config(former: former))
  }

  private func entities(_ config: JSONValue) -> [String: JSONValue] {
    Dictionary(uniqueKeysWithValues: (config["cmps"]?.objectValue ?? []).map { ($0.key, $0.value) })
  }

  @Test func `The machine is one device, and each entity has its availability`() throws {
    let config = try config([])
    #expect(topics.config == "homeassistant/device/nightjar-alex/kitchen/config")
    #expect(config["dev"]?["ids"]?.stringValue == "nightjar-alex.kitchen")
    #expect(config["dev"]?["name"]?.stringValue == "Nightjar kitchen")
    let entities = entities(config)
    #expect(
      entities.keys.sorted() == [
        "add_time", "cancel", "dismiss", "next_finish", "next_timer", "pause", "ring", "snooze",
        "start", "timers", "unpause",
      ])
    for (key, entity) in entities {
      #expect(entity["unique_id"]?.stringValue == "nightjar-alex.kitchen-\(key)")
      let topics = entity["avty"]?.arrayValue?.compactMap { $0["t"]?.stringValue } ?? []
      #expect(topics.first == "nightjar/alex/kitchen/presence", "\(key)")
      #expect(topics.count == (entity["p"]?.stringValue == "button" ? 2 : 1), "\(key)")
      // Home Assistant accepts either a list or one topic, not both.
      #expect(entity["avty_t"] == nil && entity["avty_mode"]?.stringValue == "all")
    }
    #expect(
      entities["snooze"]?["avty"]?.arrayValue?.last?["val_tpl"]?.stringValue
        == "{{ 'online' if value_json is defined and 'snooze' in value_json.can else 'offline' }}")
  }

  @Test func `A named timer has entities of its own, whatever its name is`() throws {
    let entities = entities(try config(["oven", "a/b+ü"]))
    #expect(entities.count == 11 + 2 * 10)
    let pause = try #require(entities["timer_oven_pause"])
    #expect(pause["pl_prs"]?.stringValue == #"{"action":"pause","timer":"oven"}"#)
    #expect(pause["cmd_t"]?.stringValue == "nightjar/alex/kitchen/home/set/command")
    #expect(
      pause["avty"]?.arrayValue?.last?["t"]?.stringValue == "nightjar/alex/kitchen/home/timer/oven")
    let start = try #require(entities["timer_a_2Fb_2B_C3_BC_start"])
    #expect(start["cmd_t"]?.stringValue == "nightjar/alex/kitchen/home/set/text/a%2Fb%2B%C3%BC")
    #expect(start["name"]?.stringValue == "a/b+ü start")
    // No two names share a key.
    #expect(Set(entities.values.compactMap { $0["unique_id"]?.stringValue }).count == 31)
  }

  @Test func `Names that are similar as words have different entities`() throws {
    let entities = entities(try config(["a/b", "a_2Fb"]))
    #expect(entities.count == 11 + 2 * 10)
  }

  @Test func `A timer that is no longer named is removed, also if it must be shown once more`()
    throws
  {
    let old = device(["oven", "tea"])
    let former = HomeDevice.entities(of: old.config())
    #expect(former.count == 31)
    let new = device(["tea"])
    let config = try JSONValue.parse(new.config(former: former))
    let entities = entities(config)
    #expect(entities["timer_oven_pause"] == ["p": "button"])
    #expect(entities["timer_tea_pause"]?["unique_id"] != nil)
    // Home Assistant was down, and must see the entities before it removes them.
    let whole = try JSONValue.parse(try #require(new.configToRemove(former)))
    let oven = self.entities(whole).filter { $0.key.hasPrefix("timer_oven") }
    #expect(oven.count == 10)
    for (key, entity) in oven {
      #expect(entity["unique_id"]?.stringValue == "nightjar-alex.kitchen-\(key)")
    }
    // The description itself is the memory: reading it is enough.
    let again = HomeDevice.entities(of: new.config(former: former))
    #expect(new.config(former: again) == new.config(former: former))
    // An entity that returns is the same as before.
    #expect(old.config(former: again) == old.config())
    #expect(old.configToRemove(again) == nil)
    #expect(HomeDevice.entities(of: Array("junk".utf8)).isEmpty)
  }

  @Test func `A machine has buttons and texts only for what others may do there`() throws {
    func platforms(_ allowed: RemotePermission) throws -> [String: Int] {
      entities(try config(["oven"], allowed)).values.reduce(into: [:]) {
        $0[$1["p"]?.stringValue ?? "", default: 0] += 1
      }
    }
    #expect(try platforms(.look) == ["sensor": 5, "event": 2])
    #expect(try platforms(.change) == ["sensor": 5, "event": 2, "button": 12])
    #expect(try platforms(.start) == ["sensor": 5, "event": 2, "button": 12, "text": 2])
  }

  @Test func `What the broker retained of a timer that is not named any more is cleared`() {
    let former = HomeDevice.entities(of: device(["oven", "a_b/ü"]).config())
    let base = "nightjar/alex/kitchen/home"
    #expect(
      Set(device(["oven"]).topicsToClear(former, isShown: true)) == [
        "\(base)/timer/a_b%2F%C3%BC", "\(base)/text/a_b%2F%C3%BC",
      ])
    // The machine is not shown any more.
    #expect(
      Set(device([]).topicsToClear(former, isShown: false)) == [
        "\(base)/timer/a_b%2F%C3%BC", "\(base)/text/a_b%2F%C3%BC", "\(base)/timer/oven",
        "\(base)/text/oven", "\(base)/next", "\(base)/text",
      ])
    // What is gone already is not cleared again.
    let again = HomeDevice.entities(of: device([]).config(former: former))
    #expect(device([]).topicsToClear(again, isShown: true).isEmpty)
  }

  @Test func `Of a description by another program only what a bridge could have written counts`() {
    let foreign = #"{"cmps":{"x":{"p":"nosuch"},"y":{"p":"sensor"},"z":7,"t":{"p":["text"]}}}"#
    #expect(HomeDevice.entities(of: Array(foreign.utf8)).map(\.key) == ["y"])
  }

  @Test func `An entity that is shown once more to be removed has a short name`() throws {
    let name = String(repeating: "ж", count: 20)
    let former = HomeDevice.entities(of: device([name]).config())
    let all = try JSONValue.parse(try #require(device([]).configToRemove(former)))
    let removed = entities(all).filter { $0.key.hasPrefix("timer_") }
    #expect(removed.count == 10)
    for entity in removed.values {
      #expect(entity["name"]?.stringValue == "removed")
      // It hears nothing that it could take for a state.
      let topic = entity["stat_t"]?.stringValue ?? entity["cmd_t"]?.stringValue
      #expect(topic == "nightjar/alex/kitchen/home/nowhere")
    }
  }

  @Test func `Two machines never have one identifier`() {
    let names = [("a-b", "c"), ("a", "b-c"), ("a_b", "c")].map {
      HomeTopics(DeviceAddress(person: $0, device: $1)!, prefix: "nightjar").identifier
    }
    #expect(Set(names).count == 3)
  }

  @Test func `The description grows with the names, and not with timers`() throws {
    let none = device([]).config().count
    let ten = device((0..<10).map { "timer\($0)" }).config().count
    #expect(none < 6_000 && ten < 60_000, "\(none) and \(ten) bytes")
  }
}
