import Glibc
import NightjarTestSupport
import Testing

/// A session bus of a test's own, and on it a service manager that runs commands.
final class ManagerMock {
  private let bus: ChildProcess
  private let manager: ChildProcess
  private let address: String

  /// Returns when it is on the bus.
  init(of rig: Rig) throws {
    address = "unix:path=\(rig.path)/run/bus"
    bus = try rig.startBus(type: "session", address: address)
    manager = try rig.start(
      FakeManager.command,
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"], isFed: true,
      package: "python3-dbus")
    try manager.lines.next("the manager") { $0 == "ready" }
  }

  /// What a daemon on this bus has in its environment.
  var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  /// Does as `FakeManager` has it, and returns when it has.
  func tell(_ command: String) throws {
    try manager.feed(command)
    try awaitLine("done \(command.prefix { $0 != " " })")
  }

  /// Waits for a line that it prints.
  func awaitLine(_ beginning: String) throws {
    try manager.lines.next(beginning) { $0.hasPrefix(beginning) }
  }

  /// What it was called for, up to now: the units.
  func units(of member: String) -> [String] {
    manager.lines.all.filter { $0.hasPrefix("call \(member) ") }.map {
      String($0.dropFirst("call \(member) ".count))
    }
  }

  /// The bus hangs: whoever connects is not greeted.
  func hangBus() { bus.signal(SIGSTOP) }

  /// It goes on where it was.
  func unhangBus() { bus.signal(SIGCONT) }
}
