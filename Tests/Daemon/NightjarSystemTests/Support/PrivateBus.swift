import Glibc
import NightjarModel
import NightjarSystem
import NightjarTestSupport
import Testing

/// A system bus of the test, with python-dbusmock's logind on it.
final class PrivateBus {
  let address: String
  private let rig: Rig
  private var daemon: ChildProcess?
  private var logind: ChildProcess?

  private static let python = "/usr/bin/python3"
  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  /// Chooses an address for the bus without starting it.
  init() throws {
    rig = try Rig()
    address = "unix:path=\(rig.path)/bus"
    let (end, output) = try rig.run([PrivateBus.python, "-c", "import dbusmock"])
    guard end == .exited(0) else {
      throw Unmet(description: "install the package python3-dbusmock: \(output)")
    }
  }

  // MARK: Start and end

  func startBus() throws { daemon = try rig.startBus(type: "system", address: address) }

  func stopBus() {
    daemon?.kill()
    daemon = nil
  }

  /// Starts logind; returns once it answers.
  func startLogind(preparing: Bool = false) throws {
    logind = try rig.start(
      [
        PrivateBus.python, "-m", "dbusmock", "--system", "--template", "logind",
        "--parameters", "{\"PreparingForSleep\": \(preparing)}",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"])
    try awaitTrue("logind's mock did not come up") {
      try call(PrivateBus.manager, "CanSuspend").isFine
    }
  }

  func stopLogind() {
    logind?.kill()
    logind = nil
  }

  /// Starts a user's service manager with these orders; returns when it is on the bus.
  func startManager(_ words: String...) throws {
    let manager = try rig.start(
      FakeManager.command + words,
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"], isFed: true,
      package: "python3-dbus")
    try manager.lines.next("the manager") { $0 == "ready" }
  }

  /// Makes logind hang: it is on the bus and answers nothing.
  func hangLogind() throws { try #require(logind).signal(SIGSTOP) }

  func unhangLogind() throws { try #require(logind).signal(SIGCONT) }

  // MARK: logind

  func emitPrepareForSleep(_ sleeps: Bool) throws {
    let (isFine, output) = try call(
      "org.freedesktop.DBus.Mock", "EmitSignal", "sssav", PrivateBus.manager, "PrepareForSleep",
      "b", "1", "b", "\(sleeps)")
    #expect(isFine, "\(output)")
  }

  func setPreparingForSleep(_ preparing: Bool) throws {
    let (isFine, output) = try call(
      "org.freedesktop.DBus.Mock", "UpdateProperties", "sa{sv}", PrivateBus.manager, "1",
      "PreparingForSleep", "b", "\(preparing)")
    #expect(isFine, "\(output)")
  }

  /// logind's list of inhibitors, as busctl prints it.
  func inhibitors() throws -> String { try call(PrivateBus.manager, "ListInhibitors").output }

  /// Makes logind refuse inhibitors from now on.
  func refuseInhibitors() throws {
    let (isFine, output) = try call(
      "org.freedesktop.DBus.Mock", "AddMethod", "sssss", PrivateBus.manager, "Inhibit", "ssss", "h",
      "raise dbus.exceptions.DBusException('not today', "
        + "name='org.freedesktop.DBus.Error.AccessDenied')")
    #expect(isFine, "\(output)")
  }

  // MARK: Other senders

  /// Sends logind's signal from another sender, as a broadcast and to one connection.
  func forgePrepareForSleep(to uniqueName: String) throws {
    for destination in [[], ["--destination=\(uniqueName)"]] {
      let (isFine, output) = try busctl(
        destination + ["emit", PrivateBus.path, PrivateBus.manager, "PrepareForSleep", "b", "true"])
      #expect(isFine, "\(output)")
    }
  }

  func isOnBus(_ uniqueName: String) throws -> Bool {
    let bus = "org.freedesktop.DBus"
    return try busctl(["call", bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", uniqueName])
      .output == "b true"
  }

  private func call(_ interface: String, _ arguments: String...) throws -> (
    isFine: Bool, output: String
  ) {
    try busctl(["call", PrivateBus.name, PrivateBus.path, interface] + arguments)
  }

  // MARK: Users and their sessions

  /// The properties of a session in logind.
  struct Session {
    var type = "wayland"
    var `class` = "user"
    var state = "active"
    var isLocked = false
    var isIdle = false
  }

  private static let userInterface = "org.freedesktop.login1.User"
  private static let sessionInterface = "org.freedesktop.login1.Session"

  private static func path(ofUser uid: uid_t) -> String { "\(path)/user/_\(uid)" }

  private static func path(ofSession id: String) -> String { "\(path)/session/\(id)" }

  /// Adds a user without a session. (The mock's own users do not have logind's paths.)
  func addUser(_ uid: uid_t = getuid()) throws {
    try callMock(
      PrivateBus.path, "AddObject", "ssa{sv}a(ssss)", PrivateBus.path(ofUser: uid),
      PrivateBus.userInterface, "1", "Sessions", "a(so)", "0", "0")
  }

  /// Adds a session; `listSessions` adds it to its user's list.
  func addSession(_ id: String, _ session: Session) throws {
    try callMock(
      PrivateBus.path, "AddObject", "ssa{sv}a(ssss)", PrivateBus.path(ofSession: id),
      PrivateBus.sessionInterface, "5", "Type", "s", session.type, "Class", "s", session.class,
      "State", "s", session.state, "LockedHint", "b", "\(session.isLocked)", "IdleHint", "b",
      "\(session.isIdle)", "0")
  }

  func removeSession(_ id: String) throws {
    try callMock(PrivateBus.path, "RemoveObject", "s", PrivateBus.path(ofSession: id))
  }

  /// Sets the list of a user's sessions, and sends logind's signal about the change.
  func listSessions(_ ids: String..., of uid: uid_t = getuid()) throws {
    try callMock(
      PrivateBus.path(ofUser: uid),
      ["UpdateProperties", "sa{sv}", PrivateBus.userInterface, "1", "Sessions", "a(so)"]
        + ["\(ids.count)"] + ids.flatMap { [$0, PrivateBus.path(ofSession: $0)] })
  }

  /// Sets a hint of a session, as its desktop does.
  func setHint(_ name: String, _ value: Bool, of id: String) throws {
    try callMock(
      PrivateBus.path(ofSession: id), "UpdateProperties", "sa{sv}", PrivateBus.sessionInterface,
      "1", name, "b", "\(value)")
  }

  func setState(_ state: String, of id: String) throws {
    try callMock(
      PrivateBus.path(ofSession: id), "UpdateProperties", "sa{sv}", PrivateBus.sessionInterface,
      "1", "State", "s", state)
  }

  private func callMock(_ object: String, _ arguments: String...) throws {
    try callMock(object, arguments)
  }

  private func callMock(_ object: String, _ arguments: [String]) throws {
    let (isFine, output) = try busctl(
      ["call", PrivateBus.name, object, "org.freedesktop.DBus.Mock"] + arguments)
    try #require(isFine, "\(arguments): \(output)")
  }

  private func busctl(_ arguments: [String]) throws -> (isFine: Bool, output: String) {
    let process = try ChildProcess(
      ["busctl", "--address=\(address)"] + arguments, package: "systemd")
    return (try process.awaitEnd() == .exited(0), process.output)
  }
}
