import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Daemons that ring, with the test's own configuration and session bus.
extension Rig {
  /// Starts a daemon on the bus of `mock`, if given, with these lines in `[daemon]`.
  func ringingDaemon(on mock: NotificationMock? = nil, config: String = "") throws -> DaemonProcess
  {
    try configure(config)
    return try daemon {
      $0.environment = mock?.environment ?? [:]
      try $0.useFakeClocks()
    }
  }

  /// Starts a notification server, and a daemon that has read the server's capabilities. A slow
  /// server answers when the test says so.
  func desktop(
    capabilities: String = "body body-markup actions", isSlow: Bool = false, config: String = ""
  ) throws -> (NotificationMock, DaemonProcess) {
    let mock = try NotificationMock(of: self)
    if isSlow { try mock.startSlowly() } else { try mock.start(capabilities: capabilities) }
    let daemon = try ringingDaemon(on: mock, config: config)
    try daemon.awaitSeen(true)
    return (mock, daemon)
  }

  /// Writes the daemon's configuration. A ring is a single sound unless `lines` set its length.
  func configure(_ lines: String) throws {
    let lines = lines.contains("ring_for") ? lines : "ring_for = 0\n\(lines)"
    let folder = "\(path)/home/.config/nightjar"
    try makeFolder(folder)
    try writeFile("[daemon]\n\(lines)\n", to: "\(folder)/config.toml")
  }

  func awaitFile(_ name: String, _ text: String) throws {
    try awaitTrue("\(name) does not say '\(text)'") {
      (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8))?.contains(text) ?? false
    }
  }
}

extension DaemonProcess {
  /// Whether a ring would be noticed.
  func ringReport() throws -> Wire.RingReport { try status().ring }

  /// Waits until the daemon reports that a ring would be seen, or would not be.
  func awaitSeen(_ isSeen: Bool) throws {
    try awaitTrue("a ring is \(isSeen ? "not " : "")seen") { try ringReport().seen == isSeen }
  }

  /// Rings a timer and waits until it has rung, and until its popup is there. Unless it is
  /// configured, the timer has no ring of its own.
  func ring(
    _ name: String, on mock: NotificationMock? = nil,
    _ configure: ((inout Wire.Ring) -> Void)? = nil
  ) throws {
    var timer = Wire.Start(name: name, .countdown(.microseconds(1000)))
    if let configure {
      var ring = Wire.Ring()
      configure(&ring)
      timer.ring = ring
    }
    _ = try connect().timer(.start(timer))
    try awaitEvent("rang", name)
    _ = try mock?.nextNotify { $0.summary == name }
  }

  /// Lets timers expire together while the daemon is stopped and the machine sleeps.
  func ringTogether(_ names: [String]) throws {
    let client = try connect()
    for name in names { try client.start(name, usec: 20 * second) }
    try stop()
    try options.pretendSleep(seconds: 30)
    try proceed()
  }

  func awaitEvent(_ type: String, _ name: String) throws {
    _ = try events(after: 0).event { $0.type.rawValue == type && $0.name == name }
  }

  /// Waits until the daemon has noted that a popup is the last of those that are shown.
  func awaitNoted(_ id: Int64) throws { try awaitPopup(id, in: "\(options.socketPath).popups") }

  /// Sends SIGHUP and waits until the daemon reports that it has reloaded.
  func reload() throws {
    process.signal(SIGHUP)
    try notifications.next("the reload") { $0.hasPrefix("RELOADING=1") }
    try notifications.next("its end") { $0 == "READY=1" }
  }
}

extension ChildProcess {
  func awaitLine(_ text: String, within seconds: Double = 30) throws {
    try lines.next(text, within: seconds) { $0.contains(text) }
  }
}

/// Waits until a process has noted that a popup is the last of those that it shows.
func awaitPopup(_ id: Int64, in note: String) throws {
  try awaitTrue("the popup \(id) is not in \(note)") {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: note))?.hasSuffix(",\(id)") ?? false
  }
}
