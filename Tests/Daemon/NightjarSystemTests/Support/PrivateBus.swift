import Glibc
import NightjarModel
import NightjarSystem
import NightjarTestSupport
import Testing

/// A system bus of the test, with python-dbusmock's logind on it.
final class PrivateBus {
  let address: String
  private let folder: Folder
  private var daemon: Child?
  private var logind: Child?
  private var manager: Child?

  private static let python = "/usr/bin/python3"
  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  /// Chooses an address for the bus without starting it.
  init() throws {
    folder = try Folder()
    address = "unix:path=\(folder.path)/bus"
    try Child([PrivateBus.python, "-c", "import dbusmock"]).expectSuccess(
      "install the package python3-dbusmock")
    try writeConfiguration()
  }

  deinit {
    logind?.kill()
    manager?.kill()
    daemon?.kill()
  }

  // MARK: Start and end

  func startBus() throws {
    let bus = try Child(
      [
        "dbus-daemon", "--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile",
        "--print-address=1",
      ], package: "dbus-daemon")
    // The address is printed when the bus listens.
    try #require(bus.readLine().hasPrefix(address))
    daemon = bus
  }

  func stopBus() {
    daemon?.kill()
    daemon = nil
  }

  /// Starts logind; returns once it answers.
  func startLogind(preparing: Bool = false) throws {
    logind = try Child(
      [
        PrivateBus.python, "-m", "dbusmock", "--system", "--template", "logind",
        "--parameters", "{\"PreparingForSleep\": \(preparing)}",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    var moment = Clocks.read()
    let bound = moment.monotonicUsec + 20_000_000
    while try call(PrivateBus.manager, "CanSuspend").code != 0 {
      moment = Clocks.read()
      try #require(moment.monotonicUsec < bound, "logind's mock did not come up")
    }
  }

  func stopLogind() {
    logind?.kill()
    logind = nil
  }

  /// Starts a user's service manager with these orders; returns when it is on the bus.
  func startManager(_ words: String...) throws {
    let child = try Child(
      FakeManager.command + words, environment: ["DBUS_SESSION_BUS_ADDRESS": address])
    manager = child
    while try child.readLine() != "ready" {}
  }

  /// Makes logind hang: it is on the bus and answers nothing.
  func hangLogind() throws { kill(try #require(logind).pid, SIGSTOP) }

  /// Lets logind continue.
  func unhangLogind() throws { kill(try #require(logind).pid, SIGCONT) }

  // MARK: logind

  func emitPrepareForSleep(_ sleeps: Bool) throws {
    let (code, output) = try call(
      "org.freedesktop.DBus.Mock", "EmitSignal", "sssav", PrivateBus.manager, "PrepareForSleep",
      "b", "1", "b", "\(sleeps)")
    #expect(code == 0, "\(output)")
  }

  func setPreparingForSleep(_ preparing: Bool) throws {
    let (code, output) = try call(
      "org.freedesktop.DBus.Mock", "UpdateProperties", "sa{sv}", PrivateBus.manager, "1",
      "PreparingForSleep", "b", "\(preparing)")
    #expect(code == 0, "\(output)")
  }

  /// logind's list of inhibitors, as busctl prints it.
  func inhibitors() throws -> String { try call(PrivateBus.manager, "ListInhibitors").output }

  /// Makes logind refuse inhibitors from now on.
  func refuseInhibitors() throws {
    let (code, output) = try call(
      "org.freedesktop.DBus.Mock", "AddMethod", "sssss", PrivateBus.manager, "Inhibit", "ssss", "h",
      "raise dbus.exceptions.DBusException('not today', "
        + "name='org.freedesktop.DBus.Error.AccessDenied')")
    #expect(code == 0, "\(output)")
  }

  // MARK: Other senders

  /// Sends logind's signal from another sender, as a broadcast and to one connection.
  func forgePrepareForSleep(to uniqueName: String) throws {
    for destination in [[], ["--destination=\(uniqueName)"]] {
      let (code, output) = try busctl(
        destination + ["emit", PrivateBus.path, PrivateBus.manager, "PrepareForSleep", "b", "true"])
      #expect(code == 0, "\(output)")
    }
  }

  func isOnBus(_ uniqueName: String) throws -> Bool {
    let bus = "org.freedesktop.DBus"
    return try busctl(
      ["call", bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", uniqueName]
    ).output == "b true\n"
  }

  private func call(_ interface: String, _ arguments: String...) throws -> (
    code: Int32, output: String
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
    let (code, output) = try busctl(
      ["call", PrivateBus.name, object, "org.freedesktop.DBus.Mock"] + arguments)
    try #require(code == 0, "\(arguments): \(output)")
  }

  private func busctl(_ arguments: [String]) throws -> (code: Int32, output: String) {
    try Child(["busctl", "--address=\(address)"] + arguments, package: "systemd").finish()
  }

  private func writeConfiguration() throws {
    let text = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>system</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/><allow own="*"/>
          <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        </policy>
      </busconfig>
      """
    let file = Descriptor(
      owning: open("\(folder.path)/bus.conf", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    try #require(write(file.raw, text, text.utf8.count) == text.utf8.count)
  }
}

extension Child {
  fileprivate func expectSuccess(_ hint: String) throws {
    let (code, output) = try finish()
    guard code == 0 else { throw Failure(description: "\(hint): \(output)") }
  }
}
