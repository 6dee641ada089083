import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Renaming a timer, over the socket.
@Suite(.blocking) struct RenameTests {
  let rig: Rig

  init() throws { rig = try Rig() }

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
