import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Undo over the socket, and over a restart of the daemon.
@Suite(.blocking) struct UndoTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private func undo(_ client: Connection) throws -> Wire.Undo.Reply {
    try Wire.Undo.Reply(client.call(.undo(), deadline: .after(usec: 90 * second)))
  }

  @Test func `An undo is on disk, and after a restart nothing more can be undone`() throws {
    let first = try rig.daemon()
    let client = try first.connect()
    try client.start("tea", usec: hour)
    try client.start("egg", usec: hour)
    for name in ["tea", "egg"] {
      _ = try client.timer(Call.perform(.remove, name: name).undoable("1"))
    }
    let undoing = try undo(client)
    #expect(undoing.type == .removed && undoing.count == 2 && undoing.kept == 0)
    #expect(Set(undoing.timers.map(\.name)) == ["tea", "egg"])
    // By CLOCK_BOOTTIME, because the wall clock may be slewed.
    let deadlineUsec = try client.get("tea").deadlineBoottimeUsec
    _ = try client.timer(Call.perform(.cancel, name: "egg").undoable("2"))
    // Not a clean end: the timers are rebuilt from the events.
    try first.crash()
    let next = try rig.daemon().connect()
    #expect(try next.get("tea").deadlineBoottimeUsec == deadlineUsec)
    #expect(try next.get("egg").state == .cancelled)
    let reason =
      "no change by a person within the last minute is left to undo; a restart of the daemon "
      + "forgets them all"
    #expect(try next.refusal(of: .undo()) == .nothingToUndo(reason: reason))
  }

  @Test func `The ID of an undoable change has 1 to 64 bytes`() throws {
    let socket = try rig.daemon().rawSocket()
    let empty = try socket.call("Start", #"{"duration_usec":9000000,"undo_id":""}"#)
    #expect(empty.parameters["parameter"]?.stringValue == "undo_id")
    let id = String(repeating: "x", count: 65)
    let long = try socket.call("Start", #"{"duration_usec":9000000,"undo_id":"\#(id)"}"#)
    #expect(long.error == "org.nightjar.Timers.LimitExceeded")
  }
}
