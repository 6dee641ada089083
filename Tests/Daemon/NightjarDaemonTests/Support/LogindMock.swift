import Foundation
import Glibc
import NightjarTestSupport
import Testing

/// A system bus of the test with a logind that acts on the test's orders and reports what the
/// daemon does.
///
/// It grants real inhibitors. When one is released, it looks into the daemon's database at once,
/// because a real logind would then let the machine sleep, and prints the result: `released 1
/// open=sleep`.
final class LogindMock {
  let address: String
  private let rig: Rig
  private let database: String
  private var logind: ChildProcess?

  /// Starts the bus without a logind. `database` is the daemon's.
  init(of rig: Rig, database: String) throws {
    self.rig = rig
    self.database = database
    address = "unix:path=\(rig.path)/bus"
    try rig.startBus(type: "system", address: address)
  }

  // MARK: Start and end

  func start(preparing: Bool = false) throws {
    let process = try rig.start(
      ["/usr/bin/python3", "-u", "-c", Self.program, database, preparing ? "1" : "0"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"], isFed: true,
      package: "python3-dbus")
    logind = process
    try process.lines.next("logind's mock, from python3-dbus and python3-gi") { $0 == "ready" }
  }

  func vanish() { logind?.kill() }

  // MARK: Orders

  /// Sets PreparingForSleep and sends PrepareForSleep.
  func prepareForSleep(_ sleeps: Bool) throws { try feed(sleeps ? "sleep" : "wake") }

  /// Sends PrepareForSleep for a sleep, and at once that the sleep was cancelled.
  func callOffSleep() throws { try feed("sleep\nwake") }

  /// Sets PreparingForSleep without a signal.
  func setPreparing(_ preparing: Bool) throws { try feed(preparing ? "quietly 1" : "quietly 0") }

  /// Waits until everything that was ordered so far has been sent.
  func awaitOrders() throws {
    try feed("report")
    try #require(logind).lines.pick("a report") { $0 == "reported" }
  }

  func refuseInhibitors(_ refuses: Bool) throws { try feed(refuses ? "refuse 1" : "refuse 0") }

  func awaitRefusal() throws {
    try #require(logind).lines.next("a refusal") { $0 == "refused" }
  }

  private func feed(_ line: String) throws { try #require(logind).feed(line) }

  // MARK: Reports

  func awaitInhibitor(_ number: Int, mode: String = "delay", within seconds: Double = 30) throws {
    try #require(logind).lines.next("inhibitor \(number)", within: seconds) {
      $0 == "taken \(number) sleep Nightjar \(mode)"
    }
  }

  /// Waits until inhibitor `number` is released, and returns the causes of the span that was open
  /// on disk then.
  func awaitRelease(_ number: Int) throws -> String {
    let start = "released \(number) open="
    let line = try #require(logind).lines.next("the release of inhibitor \(number)") {
      $0.hasPrefix(start)
    }
    return String(line.dropFirst(start.count))
  }

  /// Announces a sleep, and waits for the release of the inhibitor: the entry is on disk by then.
  func fallAsleep(releasing number: Int) throws {
    try prepareForSleep(true)
    #expect(try awaitRelease(number) == "sleep")
  }

  /// Announces the end of a sleep, and waits for the next inhibitor.
  func wakeUp(taking number: Int) throws {
    try prepareForSleep(false)
    try awaitInhibitor(number)
  }

  func awaitReleases(_ numbers: Set<Int>, within seconds: Double = 30) throws {
    var waited = numbers
    while !waited.isEmpty {
      let line = try #require(logind).lines.next(
        "the release of inhibitors \(waited)", within: seconds
      ) {
        $0.hasPrefix("released ")
      }
      if let number = Int(line.split(separator: " ")[1]) { waited.remove(number) }
    }
  }

  var history: [String] { logind?.lines.all ?? [] }

  private static let program = #"""
    import os, sqlite3, sys
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib

    DATABASE, PREPARING = sys.argv[1], sys.argv[2] == "1"
    MANAGER = "org.freedesktop.login1.Manager"

    def open_spans():
        with sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True) as database:
            rows = database.execute("SELECT causes FROM span WHERE leftUsec IS NULL").fetchall()
        return ",".join(row[0] for row in rows)

    class Manager(dbus.service.Object):
        preparing, inhibitors, refuses = PREPARING, 0, False

        @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
        def Inhibit(self, what, who, why, mode):
            if self.refuses:
                print("refused")
                raise dbus.DBusException("Access denied", name="org.freedesktop.DBus.Error.AccessDenied")
            self.inhibitors += 1
            number = self.inhibitors
            reading, writing = os.pipe()
            def released(*_):
                print(f"released {number} open={open_spans()}")
                os.close(reading)
                return False
            GLib.unix_fd_add_full(0, reading, GLib.IO_HUP, released)
            print(f"taken {number} {what} {who} {mode}")
            handed = dbus.types.UnixFd(writing)
            os.close(writing)
            return handed

        @dbus.service.signal(MANAGER, signature="b")
        def PrepareForSleep(self, start):
            self.preparing = bool(start)

        @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
        def Get(self, interface, name):
            assert (interface, name) == (MANAGER, "PreparingForSleep")
            return dbus.Boolean(self.preparing, variant_level=1)

    DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    name = dbus.service.BusName("org.freedesktop.login1", bus)
    manager = Manager(bus, "/org/freedesktop/login1")

    def command(*_):
        text = os.read(0, 4096).decode()
        # The other end is closed: this would be called without end.
        if not text: return False
        for line in text.splitlines():
            if line.startswith("quietly"):
                manager.preparing = line.endswith("1")
            elif line.startswith("refuse"):
                manager.refuses = line.endswith("1")
            elif line == "report":
                print("reported")
            else:
                manager.PrepareForSleep(line == "sleep")
        return True

    GLib.unix_fd_add_full(0, 0, GLib.IO_IN, command)
    print("ready")
    GLib.MainLoop().run()
    """#
}

extension BridgeRig {
  /// A system bus with a logind for the machine `laptop`.
  func logind() throws -> LogindMock {
    let logind = try LogindMock(of: rig, database: "\(rig.path)/laptop/state/nightjar.db")
    try logind.start()
    return logind
  }
}
