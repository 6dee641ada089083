import NightjarClient
import NightjarModel
import Testing
import Varlink

@testable import NightjarFaces

/// The menu and the look of the tray, without a bus and a daemon.
@Suite struct TrayMenuTests {
  private static func later(_ usec: Int64) -> Moment { noon.earlier(byUsec: -usec) }

  private static func daily() -> ShownTimer {
    var timer = Wire.Timer.sample("wake", .running, kind: .alarm)
    timer.calendar = "07:00"
    return ShownTimer(timer: timer, asOf: noon)
  }

  @Test(arguments: [
    (shown("a"), ["Pause", "One minute more", "Stop"]),
    (shown("a", .paused), ["Resume", "One minute more", "Stop"]),
    (shown("a", .waiting, kind: .sequence), ["Next step", "Stop"]),
    (shown("a", kind: .stopwatch), ["Pause", "Stop"]),
    (shown("a", kind: .alarm), ["Pause", "Stop"]),
    (daily(), ["Pause", "Skip the next ring"]),
    (shown("a", .over, .ringing), ["Dismiss", "Snooze 5 min"]),
    (shown("a", .over, .snoozed), ["Dismiss", "Snooze 5 min"]),
    (
      shown("a", .running, .ringing),
      ["Dismiss", "Snooze 5 min", "Pause", "One minute more", "Stop"]
    ),
    (
      shown("a", .running, .unanswered),
      ["Dismiss", "Snooze 5 min", "Pause", "One minute more", "Stop"]
    ),
  ])
  func `A timer has what makes sense for it`(timer: ShownTimer, labels: [String]) {
    #expect(TrayMenu.commands(timer).map(\.label) == labels)
  }

  @Test func `An answer names the ring that the person sees, and a change can be undone`() throws {
    let snooze = TrayMenu.commands(shown("a", .over, .ringing))[1].command
    #expect(snooze.method == "org.nightjar.Timers.Snooze")
    #expect(snooze.parameters == ["name": "a", "by_usec": 300_000_000, "expiry": 3])
    #expect(try #require(snooze.undoable["undo_id"]?.stringValue).count > 8)
    #expect(FaceCommand("Undo").undoable == [:])
  }

  @Test(arguments: [
    ("tea", "tea"), ("_tea", "__tea"), ("a_b__c", "a__b____c"), ("_", "__"),
    ("_\u{301}x", "__\u{301}x"), ("<b>&amp;", "<b>&amp;"),
  ])
  func `An underscore is no mnemonic`(name: String, label: String) {
    #expect(TrayEntry.withoutMnemonics(name) == label)
  }

  @Test func `A name cannot turn the text around it, or control anything`() {
    let label = TrayMenu.label(shown("a\u{202E}b"), at: noon)
    #expect(label == "04:00  a\\u{202E}b")
    #expect(
      TrayMenu.label(shown("שלום", .paused), at: noon)
        == "\u{200E}שלום: paused at 04:00")
  }

  @Test func `A timer keeps its entries, and another never gets them while it is there`() throws {
    var maker = TrayMenu()
    let (a, b) = (shown("a", id: 7), shown("b", id: 9))
    func ids(_ timers: [ShownTimer]) -> [Int32] {
      maker.menu(timers, absence: nil, at: noon).children.prefix(timers.count).map(\.id)
    }
    let first = ids([a, b])
    #expect(ids([b, a]) == first.reversed())
    #expect(ids([b]) == [first[1]])
    let third = ids([b, shown("c", id: 11)])
    #expect(third[0] == first[1] && !first.contains(third[1]))
    let all = maker.menu([a, b], absence: nil, at: noon).all.map(\.id)
    #expect(Set(all).count == all.count)
  }

  @Test func `A menu of many timers shows the first of them and counts the others`() {
    var maker = TrayMenu()
    let timers = (0..<200).map { shown("t\($0)", id: Int64($0)) }
    let menu = maker.menu(timers, absence: nil, at: noon)
    #expect(
      menu.children.map(\.label).suffix(5)
        == ["t19", "180 more", "", "Start", "Undo the last change"].map {
          $0 == "t19" ? "04:00  t19" : $0
        })
    let ids = menu.all.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func `Without the daemon the menu says why, and offers nothing`() {
    var maker = TrayMenu()
    let menu = maker.menu([], absence: "nightjard does not answer", at: noon)
    #expect(menu.children.map(\.label) == ["nightjard does not answer"])
    #expect(menu.all.allSatisfy { $0.action == nil })
  }

  @Test(
    arguments: [
      (shown("a"), 0, "04:00", 1_000_000), (shown("a"), 1, "04:00", 999_999),
      (shown("a"), 1_000_000, "03:59", 1_000_000), (shown("a"), 239_999_999, "00:01", 1),
      (shown("a"), 240_000_000, "00:00", nil), (shown("a", .paused), 5_000_000, "04:00", nil),
      (shown("a", .over, .snoozed), 1_500_000, "04:59", 500_000),
      (shown("a", .running, kind: .stopwatch), 1_500_000, "00:01", 500_000),
      (shown("a", .over, .ringing), 1_500_000, "04:00", nil),
    ] as [(ShownTimer, Int64, String, Int64?)])
  func `A countdown changes at whole seconds of what remains`(
    timer: ShownTimer, passed: Int64, clock: String, next: Int64?
  ) {
    #expect(timer.clock(at: Self.later(passed)) == clock)
    #expect(timer.changeUsec(after: Self.later(passed)) == next)
  }

  @Test(
    arguments: [
      ([], "nightjar", "Active", "", "No timer"),
      ([shown("a")], "nightjar", "Active", "04:00", "a: rings at 12:04"),
      (
        [shown("a", .over, .ringing), shown("b", id: 2)], "nightjar-ringing", "NeedsAttention", "a",
        "a: rang at 11:59\nb: rings at 12:04"
      ),
      (
        [shown("a", .over, .unanswered), shown("b", id: 2)], "nightjar-ringing", "NeedsAttention",
        "04:00", "a: rang at 11:59\nb: rings at 12:04"
      ),
      // One that repeats: nobody answered its last ring, and the next one comes.
      ([shown("a", .running, .unanswered)], "nightjar", "Active", "04:00", "a: rings at 12:04"),
      ([shown("a", .paused)], "nightjar", "Active", "", "a: paused at 04:00"),
    ] as [([ShownTimer], String, String, String, String)])
  func `The item shows what rings, or else what rings next`(
    timers: [ShownTimer], icon: String, status: String, label: String, toolTip: String
  ) {
    let look = TrayLook(timers, absence: nil, at: noon)
    #expect(look.icon == icon && look.status == status)
    #expect(look.label == label)
    #expect(look.toolTip == toolTip)
  }

  @Test func `What rings comes first, then what rings next, then what stands still`() {
    var soon = Wire.Timer.sample("soon", .running, id: 5)
    soon.deadlineUsec = noon.realtimeUsec + 1
    let timers = [
      shown("up", kind: .stopwatch, id: 1), shown("still", .paused, id: 2),
      shown("next", id: 3), shown("ring", .over, .ringing, id: 4),
      ShownTimer(timer: soon, asOf: noon), shown("missed", .over, .unanswered, id: 6),
      shown("quiet", .over, .snoozed, id: 7),
    ]
    let order = timers.sorted(by: ShownTimer.isBefore).map(\.name)
    #expect(order == ["ring", "missed", "soon", "next", "quiet", "still", "up"])
  }
}
