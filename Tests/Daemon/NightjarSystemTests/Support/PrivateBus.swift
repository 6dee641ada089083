import CLinux
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
    let (end, output) = try rig.run([Self.python, "-c", "import dbusmock"])
    guard end == .exited(0) else {
      throw Unmet(description: "install the package python3-dbusmock: \(output)")
    }
  }

  // MARK: Start and end

  /// Starts the bus, and logind on it.
  func start(preparing: Bool = false) throws {
    try startBus()
    try startLogind(preparing: preparing)
  }

  func startBus() throws { daemon = try rig.startBus(type: "system", address: address) }

  func stopBus() {
    daemon?.kill()
    daemon = nil
  }

  /// Starts logind; returns once it answers.
  func startLogind(preparing: Bool = false) throws {
    logind = try rig.start(
      [
        Self.python, "-m", "dbusmock", "--system", "--template", "logind",
        "--parameters", "{\"PreparingForSleep\": \(preparing)}",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"])
    try awaitTrue("logind's mock did not come up") {
      try call(Self.manager, "CanSuspend").isFine
    }
  }

  func stopLogind() {
    logind?.kill()
    logind = nil
  }

  /// Starts a user's service manager with these orders; returns when it is on the bus.
  func startManager(_ words: [String]) throws {
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
    try callMock(
      Self.path, "EmitSignal", "sssav", Self.manager, "PrepareForSleep", "b", "1", "b", "\(sleeps)")
  }

  func setPreparingForSleep(_ preparing: Bool) throws {
    try set("PreparingForSleep", "b", "\(preparing)", of: Self.path, Self.manager)
  }

  /// logind's list of inhibitors, as busctl prints it.
  func inhibitors() throws -> String { try call(Self.manager, "ListInhibitors").output }

  /// Makes logind refuse inhibitors from now on.
  func refuseInhibitors() throws {
    try callMock(
      Self.path, "AddMethod", "sssss", Self.manager, "Inhibit", "ssss", "h",
      "raise dbus.exceptions.DBusException('not today', "
        + "name='org.freedesktop.DBus.Error.AccessDenied')")
  }

  // MARK: Other senders

  /// Sends logind's signal from another sender, as a broadcast and to one connection.
  func forgePrepareForSleep(to uniqueName: String) throws {
    for destination in [[], ["--destination=\(uniqueName)"]] {
      let (isFine, output) = try busctl(
        destination + ["emit", Self.path, Self.manager, "PrepareForSleep", "b", "true"])
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
    try busctl(["call", Self.name, Self.path, interface] + arguments)
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
      Self.path, "AddObject", "ssa{sv}a(ssss)", Self.path(ofUser: uid),
      Self.userInterface, "1", "Sessions", "a(so)", "0", "0")
  }

  /// Adds a session; `listSessions` adds it to its user's list.
  func addSession(_ id: String, _ session: Session) throws {
    try callMock(
      Self.path, "AddObject", "ssa{sv}a(ssss)", Self.path(ofSession: id),
      Self.sessionInterface, "5", "Type", "s", session.type, "Class", "s", session.class,
      "State", "s", session.state, "LockedHint", "b", "\(session.isLocked)", "IdleHint", "b",
      "\(session.isIdle)", "0")
  }

  func removeSession(_ id: String) throws {
    try callMock(Self.path, "RemoveObject", "s", Self.path(ofSession: id))
  }

  /// Sets the list of a user's sessions, and sends logind's signal about the change.
  func listSessions(_ ids: String..., of uid: uid_t = getuid()) throws {
    try callMock(
      Self.path(ofUser: uid),
      ["UpdateProperties", "sa{sv}", Self.userInterface, "1", "Sessions", "a(so)"]
        + ["\(ids.count)"] + ids.flatMap { [$0, Self.path(ofSession: $0)] })
  }

  /// Sets a hint of a session, as its desktop does.
  func setHint(_ name: String, _ value: Bool, of id: String) throws {
    try set(name, "b", "\(value)", of: Self.path(ofSession: id), Self.sessionInterface)
  }

  func setState(_ state: String, of id: String) throws {
    try set("State", "s", state, of: Self.path(ofSession: id), Self.sessionInterface)
  }

  private func set(
    _ property: String, _ type: String, _ value: String, of object: String, _ interface: String
  ) throws {
    try callMock(object, "UpdateProperties", "sa{sv}", interface, "1", property, type, value)
  }

  private func callMock(_ object: String, _ arguments: String...) throws {
    try callMock(object, arguments)
  }

  private func callMock(_ object: String, _ arguments: [String]) throws {
    let (isFine, output) = try busctl(
      ["call", Self.name, object, "org.freedesktop.DBus.Mock"] + arguments)
    try #require(isFine, "\(arguments): \(output)")
  }

  private func busctl(_ arguments: [String]) throws -> (isFine: Bool, output: String) {
    let process = try ChildProcess(
      ["busctl", "--address=\(address)"] + arguments, package: "systemd")
    return (try process.awaitEnd() == .exited(0), process.output)
  }
}

/// A socket at which connections wait, and no bus greets them.
final class SilentBus {
  let address: String
  private let folder: TestFolder
  private let socket = Descriptor(owning: nj_unix_socket())

  init() throws {
    folder = try TestFolder()
    let path = "\(folder.path)/bus"
    address = "unix:path=\(path)"
    try #require(nj_unix_bind(socket.raw, path) == 0 && listen(socket.raw, 4) == 0)
  }
}
