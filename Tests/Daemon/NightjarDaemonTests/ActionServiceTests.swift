import Foundation
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Commands as services of a manager that outlives the daemon. While a command may be running, no
/// other is started for it, however long the manager takes to answer. SystemTests uses a real
/// manager.
@Suite(.blocking) struct ActionServiceTests {
  private let rig: Rig
  private let manager: ManagerMock

  init() throws {
    rig = try Rig()
    manager = try ManagerMock(of: rig)
  }

  private func daemon() throws -> DaemonProcess {
    try rig.actingDaemon { $0.environment.merge(manager.environment) { $1 } }
  }

  /// A command that records that it runs, and waits.
  private var command: String { "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran; \(rig.untilGo)" }

  /// Starts a command, waits until it runs, and kills the daemon.
  private func crashBeside() throws {
    let first = try daemon()
    try first.start("tea", usec: 1_000, shell: command)
    try rig.awaitFile("ran", "1\n")
    try first.crash()
  }

  /// Lets the command end, and expects its end in this attempt, after these attempts have run.
  private func expectEnd(of daemon: DaemonProcess, attempt: Int64, ran: [String]) throws {
    try rig.go()
    let end = try daemon.end(of: "tea")
    #expect(end.end == "exited 0" && end.attempt == attempt)
    #expect(try rig.lines(of: "ran") == ran)
    try awaitTrue("the command is left in the ledger") { try daemon.unfinished(rig) == "" }
  }

  private static let word = "NIGHTJAR_EVENT=action_unreachable"

  @Test(arguments: ["disown", "hang"])
  func
    `While the manager is away or its bus hangs at a start, a command waits and is not run twice`(
      trouble: String
    ) throws
  {
    try crashBeside()
    if trouble == "hang" { manager.hangBus() } else { try manager.send(trouble) }
    let second = try daemon()
    try second.process.awaitLine(Self.word)
    if trouble == "hang" { manager.unhangBus() } else { try manager.send("own") }
    try expectEnd(of: second, attempt: 1, ran: ["1"])
  }

  @Test func `A command that the manager does not know is run again, under the same name`() throws {
    try crashBeside()
    try manager.send("forget")
    let second = try daemon()
    try rig.awaitFile("ran", "1\n2\n")
    let units = manager.units(of: "StartTransientUnit")
    #expect(units.count == 2 && units[0] == units[1])
    try second.crash()
    // The next daemon asks for the same name.
    try expectEnd(of: daemon(), attempt: 2, ran: ["1", "2"])
  }

  @Test func `If the manager refuses the name of an earlier run, that run is followed`() throws {
    try crashBeside()
    try manager.send("blind")
    let second = try daemon()
    // The second attempt was announced, and the first run continues.
    _ = try second.events(after: 0).event { $0.type == .actionStarted && $0.attempt == 2 }
    try expectEnd(of: second, attempt: 2, ran: ["1"])
    let units = manager.units(of: "StartTransientUnit")
    #expect(units.count == 2 && units[0] == units[1])
  }

  @Test func `A start whose answer is lost is not made twice`() throws {
    try manager.send("lose")
    let daemon = try daemon()
    try daemon.start("tea", usec: 1_000, shell: command)
    try rig.awaitFile("ran", "1\n")
    try expectEnd(of: daemon, attempt: 1, ran: ["1"])
  }

  @Test func `What a command has left running may print while the next daemon runs`() throws {
    let holder = try DescriptorStore(path: "\(rig.path)/manager")
    let shell = """
      (trap '' PIPE; \(rig.untilGo); \
      head -c 200000 /dev/zero && echo over >\(rig.path)/over) & echo left
      """
    try rig.configure("sound = false")
    func daemon() throws -> DaemonProcess {
      try rig.resumedDaemon(by: holder, try holder.take()) { options in
        options.environment.merge(manager.environment) { $1 }
        options.environment["PATH"] = "/usr/bin:/bin"
      }
    }
    let first = try daemon()
    try first.start("tea", usec: 1_000, shell: shell)
    #expect(try first.end(of: "tea").end == "exited 0")
    try first.terminate()
    let second = try daemon()
    try rig.go()
    try rig.awaitFile("over", "over")
    #expect(!second.process.lines.all.contains { $0.contains("action_output") })
  }

  @Test func `The unit lets the manager hold all outputs that a restart may leave`() throws {
    let unit = try Documentation.text(of: "systemd/nightjar.service")
    let most = Limits.actionsAtOnce + Limits.leftoversAtOnce
    #expect(unit.contains("\nFileDescriptorStoreMax=\(most)\n"))
  }

  @Test func `A manager that cannot be asked about the end of a command is asked again`() throws {
    let daemon = try daemon()
    try daemon.start("tea", usec: 1_000, shell: "\(command); exit 7")
    try rig.awaitFile("ran", "1\n")
    try manager.send("refuse org.freedesktop.DBus.Error.NoReply")
    try rig.go()
    try daemon.process.awaitLine(Self.word)
    try manager.send("refuse")
    #expect(try daemon.end(of: "tea").end == "exited 7")
  }
}
