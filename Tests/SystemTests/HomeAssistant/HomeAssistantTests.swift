import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A machine as a real Home Assistant takes it.
@Suite(.blocking, .serialized, .enabled(if: HomeAssistant.isWanted)) struct HomeAssistantTests {
  private let rig: BridgeRig
  private let kitchen: BridgeRig.Machine
  private let home: HomeAssistant

  init() throws {
    rig = try BridgeRig(hasPort: true)
    kitchen = try rig.machine(
      "kitchen", others: "start", settings: "home_assistant = [\"oven\", \"a/b\"]")
    home = try HomeAssistant(rig, automations: Self.automations())
  }

  /// Those of the manual, for this machine.
  private static func automations() throws -> String {
    try ["nightjar-mqtt.1", "nightjar-phone.7"].flatMap { name in
      try Documentation.text(of: "Sources/Manual/\(name)")
        .components(separatedBy: ".Bd -literal -offset indent\n").dropFirst().map {
          ($0.components(separatedBy: "\n.Ed").first ?? "") + "\n"
        }.filter { $0.hasPrefix("- alias: ") }
    }.joined().replacing("alex/bedroom", with: "alex/kitchen")
      .replacing("alex/desk", with: "alex/kitchen").replacing(
        "nightjar_desk", with: "nightjar_kitchen")
  }

  /// A command on the machine; what it printed.
  @discardableResult private func nightjar(_ arguments: String...) throws -> String {
    let (end, output) = try rig.nightjar(arguments, on: kitchen)
    guard end == .exited(0) else { throw Unmet(description: "\(arguments): \(output)") }
    return output
  }

  /// Waits until entities have these states; `there` is any but unavailable.
  private func awaitStates(_ wanted: [String: String]) throws {
    var states: [String: String] = [:]
    func differs(_ entity: String, _ state: String) -> Bool {
      let actual = states[entity] ?? "missing"
      switch state {
      case "there": return actual == "unavailable" || actual == "missing"
      case "a point in time": return Double(actual.prefix(4)) == nil
      default: return actual != state
      }
    }
    try awaitTrue("\(wanted.filter(differs)) is not so: \(states.sorted { $0.key < $1.key })") {
      states = try home.states()
      return !wanted.contains(where: differs)
    }
  }

  private static let buttons = [
    "pause", "resume", "cancel", "add_5_minutes", "dismiss", "snooze_5_minutes",
  ]

  /// Which buttons of timers, and of those without a name, can be pressed.
  private func awaitButtons(of timers: [String?] = [nil, "oven"], _ usable: String...) throws {
    for prefix in timers.map({ $0.map { "\($0)_" } ?? "" }) {
      try awaitStates(
        Dictionary(
          uniqueKeysWithValues: Self.buttons.map {
            ("button.\(prefix)\($0)", usable.contains($0) ? "there" : "unavailable")
          }))
    }
  }

  @Test func `Each entity is there, and each button can be pressed in its own states`() throws {
    try awaitStates([
      "sensor.timers": "0", "sensor.next_ring": "unknown", "sensor.next_timer": "unknown",
      "event.ring": "unknown", "text.start_a_timer": "unknown",
      "sensor.oven_rings": "unavailable", "sensor.oven_state": "unavailable",
      "event.oven_ring": "unknown", "text.oven_start": "unknown", "sensor.a_b_state": "unavailable",
    ])
    #expect(try home.states().count == 11 + 2 * 10)
    try awaitButtons(of: [nil, "oven", "a_b"])

    // A text starts a timer, and says what it understood.
    try home.write("20 min", to: "oven_start")
    try awaitStates([
      "sensor.oven_state": "active", "sensor.oven_rings": "a point in time",
      "sensor.next_timer": "oven", "sensor.timers": "1",
    ])
    try awaitTrue("the text does not say what was understood") {
      try home.states()["text.oven_start"]?.hasPrefix("oven: 20 min, rings ") == true
    }
    try awaitButtons("pause", "cancel", "add_5_minutes")
    try home.press("oven_add_5_minutes")
    try awaitTrue("no time was added") { try nightjar("remaining", "oven").hasPrefix("24:5") }
    try home.press("pause")
    try awaitStates(["sensor.oven_state": "paused", "sensor.next_timer": "unknown"])
    try awaitButtons(of: [nil], "resume")
    try awaitButtons(of: ["oven"], "resume", "cancel", "add_5_minutes")
    try home.press("oven_resume")
    try awaitStates(["sensor.oven_state": "active"])
    try home.press("cancel")
    try awaitStates(["sensor.oven_state": "idle"])
    try awaitButtons(of: ["oven"])

    // A ring is an event, and can be snoozed and dismissed.
    try home.write("1s", to: "oven_start")
    try awaitStates([
      "sensor.oven_state": "ringing", "event.oven_ring": "a point in time",
      "event.ring": "a point in time",
    ])
    try awaitButtons("dismiss", "snooze_5_minutes")
    try home.press("snooze_5_minutes")
    try awaitStates(["sensor.oven_state": "active"])
    let left = try nightjar("remaining", "oven")
    #expect(left.hasPrefix("04:") || left.hasPrefix("05:00"), "\(left)")
    try home.write("alarm wake weekdays 7:00", to: "start_a_timer")
    try awaitTrue("the alarm is not answered") {
      try home.states()["text.start_a_timer"]?.hasPrefix("wake: rings ") == true
    }
    try home.write("2s", to: "oven_start")
    try awaitStates(["sensor.oven_state": "ringing"])
    try home.press("oven_dismiss")
    try awaitStates(["sensor.oven_state": "unavailable", "sensor.oven_rings": "unavailable"])

    // A step of a sequence rings, and the sequence runs on.
    try nightjar("sequence", "oven", "roast=1s", "rest=1h")
    try awaitButtons("pause", "cancel", "add_5_minutes", "dismiss", "snooze_5_minutes")
    try home.press("dismiss")
    try awaitButtons("pause", "cancel", "add_5_minutes")
    // The daemon is gone: nothing can be pressed, and what was known is still shown.
    try kitchen.daemon.crash()
    try awaitButtons()
    try awaitStates(["sensor.oven_state": "active"])
    try rig.restartDaemon(of: kitchen)
    try awaitButtons("pause", "cancel", "add_5_minutes")
    #expect(home.complaints == [])
  }

  @Test func `The automations of the manual do what it says`() throws {
    try awaitStates(["sensor.oven_state": "unavailable"])
    func awaitRun(_ automation: String) throws {
      try awaitTrue("\(automation) is not triggered") { try home.hasRun(automation) }
    }
    // Nobody is home: what runs is paused.
    try nightjar("start", "oven", "1h")
    try awaitStates(["sensor.oven_state": "active", "button.pause": "there"])
    try home.set("zone.home", to: "1")
    try home.set("zone.home", to: "0")
    try awaitStates(["sensor.oven_state": "paused"])
    try nightjar("remove", "oven")
    // The oven rings: the lights and the phone; and the button by the bed snoozes.
    for automation in ["lights_when_the_oven_rings", "rings_on_the_phone"] {
      #expect(try !home.hasRun(automation))
    }
    try nightjar("start", "oven", "1s")
    try awaitRun("lights_when_the_oven_rings")
    try awaitRun("rings_on_the_phone")
    try home.set("event.bedside_button", to: "unknown")
    try home.set("event.bedside_button", to: "2026-11-26T20:00:00+00:00")
    try awaitStates(["sensor.oven_state": "active"])
    #expect(try nightjar("remaining", "oven").hasPrefix("0"))
    #expect(try nightjar("remaining", "oven") > "08:30")
    // The phone's buttons.
    try nightjar("start", "oven", "1s", "--replace")
    try awaitStates(["sensor.oven_state": "ringing"])
    try home.fire("mobile_app_notification_action", #"{"action":"NIGHTJAR snooze oven"}"#)
    try awaitStates(["sensor.oven_state": "active"])
    try nightjar("start", "oven", "1s", "--replace")
    try awaitStates(["sensor.oven_state": "ringing"])
    try home.fire("mobile_app_notification_action", #"{"action":"NIGHTJAR dismiss oven"}"#)
    try awaitStates(["sensor.oven_state": "unavailable"])
    #expect(home.complaints == [])
  }

  @Test func `A hundred timers and a restart cost no description, and show what is so`() throws {
    try awaitStates(["sensor.timers": "0"])
    let configs = try rig.follow("homeassistant/device/#", format: "%r %l")
    let first = try configs.lines.next("the description")
    let bytes = String(first.dropFirst(2))
    for number in 1...100 { try nightjar("start", "t\(number)", "1h") }
    try nightjar("start", "oven", "30min")
    try awaitStates(["sensor.timers": "101", "sensor.next_timer": "oven"])
    // Whoever began to follow meanwhile may have seen that Home Assistant was told at its start.
    let count = configs.lines.all.count
    #expect(count <= 2)
    print("home assistant: the description has \(bytes) bytes, with 101 timers as without")
    try home.stop()
    try nightjar("pause", "oven")
    configs.lines.passAll()
    try home.start()
    try awaitStates(["sensor.oven_state": "paused", "sensor.timers": "101"])
    try awaitButtons(of: ["oven"], "resume", "cancel", "add_5_minutes")
    // It was told anew, once.
    try configs.lines.next("the description again") { $0 == "0 \(bytes)" }
    #expect(configs.lines.all.count == count + 1)
    // A machine that the broker has lost is unavailable.
    kitchen.bridge.kill()
    try awaitStates(["sensor.timers": "unavailable", "button.oven_resume": "unavailable"])
    try rig.restartBridge(of: kitchen)
    try awaitStates(["sensor.timers": "101", "button.oven_resume": "there"])
    #expect(home.complaints == [])
  }

  @Test func `A name that is taken out disappears, even while Home Assistant is down`() throws {
    try awaitStates(["sensor.oven_state": "unavailable", "sensor.a_b_state": "unavailable"])
    try rig.configure(kitchen, "home_assistant = [\"a/b\"]")
    try rig.restartBridge(of: kitchen)
    try awaitTrue("oven is still there") { try home.states().count == 21 }
    #expect(try !home.states().keys.contains { $0.contains("oven") })
    try home.stop()
    try rig.configure(kitchen, "home_assistant = []")
    try rig.restartBridge(of: kitchen)
    try home.start()
    try awaitTrue("a/b is still there") { try home.states().count == 11 }
    try awaitStates(["sensor.timers": "0"])
    #expect(home.complaints == [])
  }
}
