import Glibc
import NightjarTestSupport
import Testing

/// A session bus of the test with a service manager that runs commands.
final class ManagerMock {
  private let bus: ChildProcess
  private let manager: ChildProcess
  private let address: String

  init(of rig: Rig) throws {
    address = "unix:path=\(rig.path)/run/bus"
    bus = try rig.startBus(type: "session", address: address)
    manager = try rig.start(
      FakeManager.command,
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"], isFed: true,
      package: "python3-dbus")
    try manager.lines.next("the manager") { $0 == "ready" }
  }

  var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  /// Gives `FakeManager` an order, and returns when it has been carried out.
  func send(_ command: String) throws {
    try manager.feed(command)
    try awaitLine("done \(command.prefix { $0 != " " })")
  }

  func awaitLine(_ beginning: String) throws {
    try manager.lines.next(beginning) { $0.hasPrefix(beginning) }
  }

  /// The units for which a method was called so far.
  func units(of member: String) -> [String] {
    manager.lines.all.filter { $0.hasPrefix("call \(member) ") }.map {
      String($0.dropFirst("call \(member) ".count))
    }
  }

  /// Makes the bus hang: a new connection is not greeted.
  func hangBus() { bus.signal(SIGSTOP) }

  func unhangBus() { bus.signal(SIGCONT) }
}
