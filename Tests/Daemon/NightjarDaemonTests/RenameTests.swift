import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Renaming a timer, over the socket.
@Suite(.blocking) struct RenameTests {
  let rig: Rig
  private let bound = Deadline.after(usec: 30 * second)

  init() throws { rig = try Rig() }

  @Test func `A renamed timer is the same timer, also after a crash`() throws {
    let first = try rig.daemon()
    let client = try first.connect()
    let tea = try client.start("tea", usec: hour)
    try client.start("egg", usec: hour)
    let renamed = try client.timer(.rename(name: "tea", newName: "run/4711/green tea"))
    #expect(renamed.id == tea.id && renamed.name == "run/4711/green tea")
    #expect(try client.refusal(of: .get(name: "tea")) == .timerNotFound(name: "tea"))
    #expect(
      try client.refusal(of: .rename(name: "egg", newName: "run/4711/green tea"))
        == .timerExists(name: "run/4711/green tea"))
    #expect(
      try client.refusal(of: .rename(name: "egg", newName: "a//b"))
        == .varlink(.invalidParameter(parameter: "new_name")))
    #expect(
      try client.refusal(of: .rename(name: "milk", newName: "x")) == .timerNotFound(name: "milk"))
    let deadlineUsec = renamed.deadlineBoottimeUsec
    try first.crash()
    let again = try rig.daemon().connect()
    #expect(try again.get("run/4711/green tea").deadlineBoottimeUsec == deadlineUsec)
    #expect(Set(try again.names()) == ["egg", "run/4711/green tea"])
    // The old name is free.
    #expect(try again.start("tea", usec: hour).id != tea.id)
    let story = try Wire.Why.Reply(again.call(.why(name: "run/4711/green tea"), deadline: bound))
    #expect(story.events.map(\.type.rawValue) == ["started", "renamed_to", "renamed_from"])
    #expect(story.events.map(\.name) == ["tea", "tea", "run/4711/green tea"])
  }

  @Test func `A name in another spelling is the same name, and is shown as it was first given`()
    throws
  {
    let (composed, decomposed) = ("caf\u{E9}/1", "cafe\u{301}/1")
    func expectShown(_ timer: Wire.Timer) {
      #expect(timer.name.utf8.elementsEqual(composed.utf8))
    }
    let first = try rig.daemon()
    let client = try first.connect()
    let started = try client.start(composed, usec: hour)
    guard case .timerExists = try client.refusal(of: .start(name: decomposed, durationUsec: hour))
    else { throw Unmet(description: "there are two timers that look the same") }
    expectShown(try client.get(decomposed))
    expectShown(try client.timer(.perform(.pause, name: decomposed)))
    expectShown(try client.timer(.rename(name: composed, newName: decomposed)))
    let again = try client.timer(.start(name: decomposed, durationUsec: hour, replace: true))
    #expect(again.id != started.id)
    expectShown(again)
    try client.start("tea", usec: hour)
    guard case .timerExists = try client.refusal(of: .rename(name: "tea", newName: decomposed))
    else { throw Unmet(description: "a timer got a name that looks the same") }
    for prefix in ["caf\u{E9}", "cafe\u{301}"] {
      let page = try client.call(.list(prefix: prefix), deadline: bound)
      #expect(page["timers"]?.arrayValue?.count == 1)
    }
    let story = try Wire.Why.Reply(client.call(.why(name: decomposed), deadline: bound))
    #expect(story.events.last?.type == .started)
    try first.crash()
    let next = try rig.daemon().connect()
    expectShown(try next.get(decomposed))
    _ = try next.timer(.perform(.cancel, name: decomposed))
    _ = try next.timer(.perform(.remove, name: decomposed))
    #expect(try next.names() == ["tea"])
  }

  @Test func `A watch of the old name ends, and one of the new name begins with it`() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let old = try daemon.watch(name: "tea")
    let new = try daemon.watch(prefix: "green")
    for watch in [old, new] {
      while try #require(try watch.next(deadline: bound))["synced"] == nil {}
    }
    _ = try client.timer(.rename(name: "tea", newName: "green/tea"))
    let last = try old.event { $0.type == "renamed_to" }
    #expect(last.name == "tea" && last.newName == "green/tea")
    #expect(try old.next(deadline: bound) == nil)
    let first = try new.event { _ in true }
    #expect(first.type == "renamed_from" && first.name == "green/tea" && first.oldName == "tea")
  }

  @Test func `A rename can be undone`() throws {
    let client = try rig.daemon().connect()
    try client.start("tea", usec: hour)
    _ = try client.timer(Call.perform(.pause, name: "tea").undoable("1"))
    _ = try client.timer(Call.rename(name: "tea", newName: "egg").undoable("2"))
    let undoing = try Wire.Undo.Reply(client.call(.undo(), deadline: bound))
    #expect(undoing.type == .renamedTo && undoing.timers.map(\.name) == ["tea"])
    #expect(try client.names() == ["tea"])
    // A change made under the old name can be undone as well.
    let before = try Wire.Undo.Reply(client.call(.undo(), deadline: bound))
    #expect(before.type == .paused && before.timers.map(\.state) == [.running])
  }

  @Test func `A popup shows the new name, and its buttons find the timer`() throws {
    let mock = try NotificationMock.running(of: rig, capabilities: "body actions")
    let daemon = try rig.ringingDaemon(on: mock)
    try daemon.awaitSeen(true)
    let client = try daemon.connect()
    try client.start("tea", usec: 1000)
    _ = try mock.nextNotify { $0.summary == "tea" }
    _ = try client.timer(.rename(name: "tea", newName: "egg"))
    #expect(try mock.nextNotify { $0.summary == "egg" }.body == "After 1 ms.")
    let watch = try daemon.watch(name: "egg")
    try mock.press("dismiss", on: 2)
    #expect(try watch.event { _ in true }.type == "dismissed")
  }

  @Test func `The end of a command whose timer was renamed is reported with the new name`() throws {
    let daemon = try rig.actingDaemon()
    let gate = "\(rig.path)/gate"
    try daemon.start("tea", shell: "until test -e '\(gate)'; do sleep 0.01; done; exit 3") {
      timer in
      timer.durationUsec = hour
      timer.ring?.on = [.started]
    }
    let client = try daemon.connect()
    _ = try daemon.events(after: 0).event { $0.type == .actionStarted && $0.name == "tea" }
    _ = try client.timer(.rename(name: "tea", newName: "egg"))
    try Data().write(to: URL(filePath: gate))
    _ = try daemon.end(of: "egg")
    #expect(try client.get("egg").failure?.exitStatus == 3)
  }
}
