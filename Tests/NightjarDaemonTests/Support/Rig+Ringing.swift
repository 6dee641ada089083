import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

/// Daemons that ring, with a configuration and a session bus of a test's own.
extension Rig {
  /// Starts a daemon on the bus of `mock`, if there is one, with these lines in `[daemon]`.
  func ringingDaemon(on mock: NotificationMock? = nil, config: String = "") throws -> DaemonProcess
  {
    try configure(config)
    return try daemon {
      $0.environment = mock?.environment ?? [:]
      try $0.useFakeClocks()
    }
  }

  /// Writes the daemon's configuration. A ring is one sound, unless `lines` say how long it lasts.
  func configure(_ lines: String) throws {
    let lines = lines.contains("ring_for") ? lines : "ring_for = 0\n\(lines)"
    let folder = "\(path)/home/.config/nightjar"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try writeFile("[daemon]\n\(lines)\n", to: "\(folder)/config.toml")
  }

  /// Waits for a file of the test's own to say something.
  func awaitFile(_ name: String, _ text: String) throws {
    try awaitTrue("\(name) does not say '\(text)'") {
      (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8))?.contains(text) ?? false
    }
  }
}

extension DaemonProcess {
  /// Whether a ring would be noticed.
  func ringReport() throws -> RingReport { try #require(try status().ring) }

  /// Waits until it says that a ring would be seen, or would not.
  func awaitSeen(_ isSeen: Bool) throws {
    try awaitTrue("a ring is \(isSeen ? "not " : "")seen") { try ringReport().isSeen == isSeen }
  }

  /// Has a timer ring, and waits until it has.
  func ring(_ name: String, silently isSilent: Bool = false) throws {
    var timer = NewTimer(name: name, .countdown(.microseconds(1000)))
    if isSilent {
      timer.ring = NewTimer.Ring()
      timer.ring?.isSilent = true
    }
    _ = try connect().timer(.start(timer))
    try awaitEvent("fired", name)
  }

  /// Has timers come due while the daemon is stopped, on a machine that sleeps meanwhile.
  func ringTogether(_ names: [String]) throws {
    let client = try connect()
    for name in names { try client.start(name, usec: 20 * second) }
    try stop()
    try options.pretendSleep(seconds: 30)
    try proceed()
  }

  /// Waits for an event about a timer.
  func awaitEvent(_ type: String, _ name: String) throws {
    _ = try events(after: 0).event { $0.type.rawValue == type && $0.name == name }
  }

  /// SIGHUP; returns when it says that it is done.
  func reload() throws {
    process.signal(SIGHUP)
    try notifications.next("the reload") { $0.hasPrefix("RELOADING=1") }
    try notifications.next("its end") { $0 == "READY=1" }
  }
}

extension ChildProcess {
  /// Waits for a line that has a text in it.
  func awaitLine(_ text: String, within seconds: Double = 30) throws {
    try lines.next(text, within: seconds) { $0.contains(text) }
  }
}
