import Foundation
import Glibc
package import Varlink

/// A session bus for a test, with a notification server. The server is that of python-dbusmock, or
/// a slow one that answers only when the test orders it.
package final class NotificationMock {
  /// A call of `Notify`. Its arguments have the names of the specification.
  package struct Notify {
    package let replacesID: Int64
    package let icon: String
    package let summary: String
    package let body: String
    package let actions: [String]
    /// The hints, each with its type on the bus and its value.
    package let hints: JSONValue
    package let expiry: Int64

    /// The type and the value of a hint, such as `["y", 2]`.
    package func hint(_ name: String) -> JSONValue? { hints[name] }
    package var isSilent: Bool { hint("suppress-sound") == ["b", true] }
  }

  package enum Call {
    case notify(Notify)
    case close(Int64)
    case other(String)
  }

  package let address: String
  private let rig: Rig
  private let bus: ChildProcess
  private let driver: ChildProcess
  private var server: ChildProcess?

  /// Starts the bus without a server. If `startable` is true, the bus can start a server.
  package init(of rig: Rig, startable: Bool = false) throws {
    self.rig = rig
    address = "unix:path=\(rig.path)/run/bus"
    let services = "\(rig.path)/services"
    try makeFolder(services)
    if startable {
      let command = Self.template(capabilities: "body actions").map { "'\($0)'" }
        .joined(separator: " ")
      try "[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=\(command)\n".write(
        toFile: "\(services)/notifications.service", atomically: true, encoding: .utf8)
    }
    bus = try rig.startBus(type: "session", address: address, services: services)
    driver = try rig.start(
      ["/usr/bin/python3", "-u", "-c", Self.program],
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"], isFed: true,
      package: "python3-dbus")
    try driver.lines.next("the driver") { $0 == "ready" }
  }

  /// Starts the bus with the server of python-dbusmock, and waits until that answers.
  package static func running(
    of rig: Rig, capabilities: String = "body body-markup actions"
  ) throws -> NotificationMock {
    let mock = try NotificationMock(of: rig)
    try mock.start(capabilities: capabilities)
    return mock
  }

  package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  // MARK: Start and end

  /// Starts the server of python-dbusmock, and waits until it answers. If `untilItAnswers` is
  /// false, this waits only until the server is on the bus, for tests that need its first calls.
  package func start(
    capabilities: String = "body body-markup actions", untilItAnswers: Bool = true
  ) throws {
    let process = try rig.start(
      Self.template(capabilities: capabilities),
      environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"],
      package: "python3-dbusmock")
    server = process
    try driver.lines.next("the server") { $0.hasPrefix("owner :") }
    if untilItAnswers { try ask("ping", until: "answers") }
  }

  private static func template(capabilities: String) -> [String] {
    [
      "/usr/bin/python3", "-m", "dbusmock", "--session", "--template", "notification_daemon",
      "--parameters", "{\"capabilities\":\"\(capabilities)\"}",
    ]
  }

  /// Starts the slow server. It records every call, and answers a call of `Notify` only when the
  /// test calls `answer`.
  package func startSlowly(capabilities: String = "body actions") throws {
    try ask("own \(capabilities)", until: "owns")
  }

  /// Makes the slow server answer a number of waiting calls of `Notify`.
  package func answer(_ count: Int) throws { try driver.feed("answer \(count)") }

  package func stop() throws {
    server?.kill()
    server = nil
    try driver.lines.next("the end of the server") { $0 == "owner " }
  }

  /// Makes the server hang: it stays on the bus, and answers no call.
  package func hang() throws { try running.signal(SIGSTOP) }

  package func unhang() throws { try running.signal(SIGCONT) }

  private var running: ChildProcess {
    get throws {
      guard let server else { throw Unmet(description: "the notification server was not started") }
      return server
    }
  }

  package func awaitStarted() throws {
    try driver.lines.next("a server that the bus has started") { $0.hasPrefix("owner :") }
  }

  /// Whether any message so far has made the bus start a server. The bus answers this at once.
  package func isStarted() throws -> Bool {
    try driver.feed("owned")
    // The calls that the server gets in the meantime are not skipped.
    let isOwned = try driver.lines.pick("whether it is owned") { $0.hasPrefix("owned ") }
      .hasSuffix("True")
    return isOwned || bus.lines.all.contains { $0.contains("Activating service name=") }
  }

  // MARK: The user's actions

  /// Sets the property with which a user pauses python-dbusmock's server, or ends the pause.
  package func pause(interface: String, property: String, _ isPaused: Bool = true) throws {
    try ask("set \(interface) \(property) \(isPaused ? 1 : 0)", until: "set")
  }

  package func press(_ key: String, on id: Int64) throws {
    try driver.feed("signal ActionInvoked \(id) \(key)")
  }

  /// Presses a button of a notification. The server then closes the notification, as all servers
  /// do.
  package func pressAndClose(_ key: String, on id: Int64) throws {
    try press(key, on: id)
    try closed(id, reason: 2)
  }

  /// Closes a notification. The reasons are 1 (it expired), 2 (the user closed it) and 3 (a call
  /// closed it).
  package func closed(_ id: Int64, reason: Int) throws {
    try driver.feed("signal NotificationClosed \(id) \(reason)")
  }

  /// Sends the signal of a pressed button from another sender than the server. It is sent as a
  /// broadcast, and to each connection.
  package func forge(_ key: String, on id: Int64) throws {
    try ask("forge \(id) \(key)", until: "forged")
  }

  // MARK: Calls

  /// Waits for the next call for which `matches` is true, and skips the calls before it.
  @discardableResult package func next(
    _ what: String, within seconds: Double = 30, where matches: (Call) -> Bool
  ) throws -> Call {
    let line = try driver.lines.next(what, within: seconds) {
      Self.call($0).map(matches) ?? false
    }
    guard let call = Self.call(line) else { throw Unmet(description: "no call: \(line)") }
    return call
  }

  /// Waits for the next call of `Notify` for which `matches` is true, and skips the calls before
  /// it.
  package func nextNotify(
    within seconds: Double = 30, where matches: (Notify) -> Bool = { _ in true }
  ) throws -> Notify {
    let call = try next("a notification", within: seconds) {
      if case .notify(let notify) = $0 { matches(notify) } else { false }
    }
    guard case .notify(let notify) = call else { throw Unmet(description: "no notification") }
    return notify
  }

  package func nextClose(of id: Int64) throws {
    try next("the closing of \(id)") { if case .close(id) = $0 { true } else { false } }
  }

  package var notifications: [Notify] {
    driver.lines.all.compactMap {
      if case .notify(let notify)? = Self.call($0) { notify } else { nil }
    }
  }

  @discardableResult private func ask(_ command: String, until answer: String) throws -> String {
    try driver.feed(command)
    return try driver.lines.next("an answer to '\(command)'") { $0.hasPrefix(answer) }
  }

  private static func call(_ line: String) -> Call? {
    guard line.hasPrefix("{"), let json = try? JSONValue.parse(line),
      let method = json["method"]?.stringValue, let arguments = json["arguments"]?.arrayValue
    else { return nil }
    switch method {
    case "Notify" where arguments.count == 8:
      return .notify(
        Notify(
          replacesID: arguments[1].integerValue ?? -1, icon: arguments[2].stringValue ?? "",
          summary: arguments[3].stringValue ?? "", body: arguments[4].stringValue ?? "",
          actions: arguments[5].arrayValue?.compactMap(\.stringValue) ?? [], hints: arguments[6],
          expiry: arguments[7].integerValue ?? -2))
    case "CloseNotification": return .close(arguments.first?.integerValue ?? -1)
    default: return .other(method)
    }
  }

  /// The program on the bus. It prints each call, which the mock reports in a signal. It sends
  /// signals, and it is the slow server.
  private static let program = #"""
    import json, os, sys
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib

    NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
    TYPES = {dbus.Byte: "y", dbus.Boolean: "b", dbus.String: "s", dbus.Int32: "i", dbus.UInt32: "u"}

    def plain(value):
        if isinstance(value, dbus.Boolean): return bool(value)
        if isinstance(value, dict): return {str(key): [TYPES.get(type(item), "?"), plain(item)] for key, item in value.items()}
        if isinstance(value, (list, tuple)): return [plain(item) for item in value]
        if isinstance(value, int): return int(value)
        return str(value)

    def called(method, arguments):
        print(json.dumps({"method": str(method), "arguments": [plain(argument) for argument in arguments]}))

    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()

    class Slow(dbus.service.Object):
        waiting, shown, capabilities = [], 0, []

        @dbus.service.method(NAME, out_signature="as")
        def GetCapabilities(self): return self.capabilities

        @dbus.service.method(NAME, out_signature="ssss")
        def GetServerInformation(self): return "slow", "test", "2", "1.2"

        @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("reply", "fail"))
        def Notify(self, name, replaces, icon, summary, body, actions, hints, expiry, reply, fail):
            called("Notify", [name, replaces, icon, summary, body, actions, hints, expiry])
            self.waiting.append((int(replaces), reply))

        @dbus.service.method(NAME, in_signature="u")
        def CloseNotification(self, number): called("CloseNotification", [number])

        def answer(self, count):
            for _ in range(count):
                replaces, reply = self.waiting.pop(0)
                self.shown += 0 if replaces else 1
                reply(dbus.UInt32(replaces or self.shown))

    slow = None
    bus.add_signal_receiver(lambda name, arguments: called(name, arguments), "MethodCalled",
        "org.freedesktop.DBus.Mock", path=PATH)
    bus.add_signal_receiver(lambda name, old, new: print("owner " + new), "NameOwnerChanged",
        "org.freedesktop.DBus", arg0=NAME)

    def send(sender, member, signature, arguments, destination=None):
        message = dbus.lowlevel.SignalMessage(PATH, NAME, member)
        if destination: message.set_destination(destination)
        message.append(*arguments, signature=signature)
        sender.send_message(message)
        sender.flush()

    def ping():
        try:
            dbus.Interface(bus.get_object(NAME, PATH, introspect=False), NAME).GetServerInformation()
            print("answers")
            return False
        except dbus.DBusException:
            return True

    def command(*_):
        global slow
        text = os.read(0, 65536).decode()
        # The other end is closed: this would be called without end.
        if not text: return False
        for line in text.splitlines():
            words = line.split(" ")
            if words[0] == "ping":
                if ping(): GLib.timeout_add(20, ping)
            elif words[0] == "owned":
                print("owned", bus.name_has_owner(NAME))
            elif words[0] == "own":
                slow = Slow(bus, PATH)
                slow.capabilities = words[1:]
                bus.request_name(NAME)
                print("owns")
            elif words[0] == "set":
                mock = bus.get_object(NAME, PATH, introspect=False)
                value = dbus.Boolean(words[3] == "1", variant_level=1)
                try:
                    mock.AddProperty(words[1], words[2], value, dbus_interface="org.freedesktop.DBus.Mock")
                except dbus.DBusException:
                    mock.Set(words[1], words[2], value, dbus_interface="org.freedesktop.DBus.Properties")
                print("set")
            elif words[0] == "answer":
                slow.answer(int(words[1]))
            elif words[0] == "forge":
                everybody = [name for name in bus.list_names() if name.startswith(":")]
                for destination in [None, *everybody]:
                    send(bus, "ActionInvoked", "us", (int(words[1]), words[2]), destination)
                print("forged")
            elif words[0] == "signal":
                signature = "us" if words[1] == "ActionInvoked" else "uu"
                value = words[3] if signature == "us" else int(words[3])
                if slow:
                    send(bus, words[1], signature, (int(words[2]), value))
                else:
                    arguments = [dbus.UInt32(words[2]), dbus.UInt32(value) if signature == "uu" else value]
                    dbus.Interface(bus.get_object(NAME, PATH, introspect=False),
                        "org.freedesktop.DBus.Mock").EmitSignal("", words[1], signature, dbus.Array(arguments, "v"))
        return True

    GLib.unix_fd_add_full(0, 0, GLib.IO_IN, command)
    print("ready")
    GLib.MainLoop().run()
    """#
}
