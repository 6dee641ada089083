import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Sounds when players fail, hang, or have something else to play.
extension NotifierTroubleTests {
  @Test func `If a player fails, the next is tried; if all fail, the log says so`() throws {
    try players.install("pw-play", code: 1)
    try players.install("paplay", code: 2)
    try players.runPipeWire()
    let daemon = try rig.ringingDaemon()
    try daemon.ring("tea")
    #expect(try players.next() == FakePlayers.chime)
    #expect(try players.next() == "paplay \(FakePlayers.chimeFile)")
    try daemon.process.awaitLine(
      "neither seen nor heard: no session bus: \(rig.path)/run/bus does not exist; "
        + "paplay failed: paplay cannot")
    let report = try daemon.ringReport()
    #expect(!report.seen && !report.heard)
    #expect(report.unseen == .missing && report.unheard == .failing)
    let reason = "paplay failed: paplay cannot, when it was last tried"
    #expect(report.reason?.hasSuffix(reason) == true)
    // The player is tried again with each ring, and the failure is logged once.
    try players.install("paplay")
    try daemon.ring("egg")
    try awaitTrue("it is not heard") { try daemon.ringReport().heard }
  }

  @Test func `Without the file of the chime a ring is silent, and the log says why`() throws {
    try playSounds()
    let program = "\(rig.path)/usr/bin/nightjard"
    let folder = "\(rig.path)/usr/share/nightjar/sounds"
    for path in ["\(rig.path)/usr/bin", folder] { try makeFolder(path) }
    // Copied by a process of its own: a program that another test starts meanwhile would inherit a
    // descriptor open for writing, and exec would fail.
    try rig.tool(["cp", Binaries.nightjard(), program])
    try rig.configure("")
    let daemon = try rig.daemon { $0.wrapper = ["/bin/sh", "-c", "exec \(program) \"$@\""] }
    let reason = "\(folder)/chime.wav cannot be read; `make install` puts it there"
    #expect(try daemon.ringReport().reason?.hasSuffix(reason) == true)
    try daemon.ring("tea")
    try daemon.process.awaitLine("does not exist; \(reason)")
    // Once the file is installed, the daemon finds it.
    try FileManager.default.copyItem(atPath: FakePlayers.chimeFile, toPath: "\(folder)/chime.wav")
    try daemon.ring("egg")
    #expect(try players.next() == "pw-play \(folder)/chime.wav")
    #expect(players.all.count == 1)
  }

  @Test func `The chosen sound is played, or the chime if it cannot be read`() throws {
    try playSounds()
    let file = "\(rig.path)/home/bell.oga"
    try "OggS".write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try rig.ringingDaemon(config: "sound = \"~/bell.oga\"")
    for (name, sound) in [("chosen", "pw-play \(file)"), ("lost", FakePlayers.chime)] {
      try daemon.ring(name)
      #expect(try players.next() == sound)
      // A sound that is playing is not started a second time.
      try awaitTrue("it is still playing") { try daemon.children == 0 }
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  @Test func `A timer's own sound takes precedence over that of the configuration`() throws {
    try playSounds()
    let file = "\(rig.path)/home/bell.oga"
    try "OggS".write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try rig.ringingDaemon(config: "sound = false")
    try daemon.ring("loud") { $0.sound = file }
    #expect(try players.next() == "pw-play \(file)")
    try rig.configure("")
    try daemon.reload()
    try daemon.ring("silent") { $0.silent = true }
    // The chime would be played before this, or in its place.
    try daemon.ring("again") { $0.sound = file }
    #expect(try players.next() == "pw-play \(file)")
    try daemon.ring("usual")
    #expect(try players.next() == FakePlayers.chime)
    #expect(players.all.count == 3)
  }

  @Test func `If no player can play a file, the chime is played`() throws {
    for name in ["pw-play", "paplay"] {
      try players.install(name, "case $1 in */chime.wav) exit 0;; esac", code: 1)
    }
    try players.runPipeWire()
    let daemon = try rig.ringingDaemon(config: "sound = \"/etc/passwd\"")
    try daemon.ring("tea")
    #expect(try players.next() == "pw-play /etc/passwd")
    #expect(try players.next() == "paplay /etc/passwd")
    #expect(try players.next() == FakePlayers.chime)
    try daemon.process.awaitLine(
      "/etc/passwd cannot be played: paplay failed: paplay cannot; the chime was played")
    #expect(try daemon.ringReport().heard)
    #expect(!daemon.process.lines.all.contains { $0.contains("neither seen nor heard") })
  }

  @Test func `A sound stops when all rings that it is played for have been answered`() throws {
    try players.install("pw-play", "/bin/sleep 1000")
    try players.runPipeWire()
    let daemon = try rig.ringingDaemon(config: "sound = \"/etc/passwd\"")
    for name in ["a", "b"] { try daemon.ring(name) }
    try players.next()
    let client = try daemon.connect()
    _ = try client.call(.perform(.dismiss, name: "a"))
    // A sound that is playing is not started a second time: it continues for the others.
    try daemon.ring("c")
    #expect(try daemon.children == 1)
    _ = try client.call(.perform(.dismiss, name: "b"))
    _ = try client.call(.snooze(name: "c", byUsec: hour))
    try awaitTrue("it is still playing") { try daemon.children == 0 }
    #expect(players.all.count == 1)
    // That was no failure, and the next sound is played.
    try daemon.ring("d")
    #expect(try players.next() == "pw-play /etc/passwd")
    #expect(try daemon.ringReport().heard)
  }

  @Test func `A server that would first have to be started does not count as available`() throws {
    try players.install("paplay")
    try players.install("pulseaudio")
    let daemon = try rig.ringingDaemon()
    let report = try daemon.ringReport()
    #expect(!report.heard && report.player == nil)
    #expect(report.reason?.hasSuffix("unless a ring can start PulseAudio") == true)
    try daemon.ring("tea")
    #expect(try players.next() == "paplay \(FakePlayers.chimeFile)")
    try awaitTrue("it is not heard") { try daemon.ringReport().player == "paplay" }
  }

  @Test func `A failure is forgotten when another sound server has the socket`() throws {
    try players.install("paplay", code: 1)
    let folder = "\(rig.path)/run/pulse"
    try makeFolder(folder)
    try writeFile("", to: "\(folder)/native", mode: 0o600)
    let daemon = try rig.ringingDaemon()
    for name in ["tea", "egg"] {
      try daemon.ring(name)
      try awaitTrue("it is heard") { try !daemon.ringReport().heard }
      // The same server is not expected to work.
      #expect(try daemon.ringReport().reason?.hasSuffix("when it was last tried") == true)
      try FileManager.default.removeItem(atPath: "\(folder)/native")
      // The second time, the daemon does not see that there was none in between.
      if name == "tea" {
        #expect(try daemon.ringReport().reason?.contains("no sound server") == true)
      }
      try writeFile("", to: "\(folder)/native", mode: 0o600)
      let report = try daemon.ringReport()
      #expect(report.heard && report.player == "paplay")
    }
  }

  @Test func `A PulseAudio without XDG_RUNTIME_DIR is found when it starts`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(rig.path)/bin/paplay", withDestinationPath: "/usr/bin/paplay")
    try rig.configure("")
    let daemon = try rig.daemon { $0.environment = ["XDG_RUNTIME_DIR": ""] }
    #expect(try !daemon.ringReport().heard)
    try SoundRecorder.startServer(
      of: rig, ["PATH": "/usr/bin:/bin", "HOME": "\(rig.path)/home", "TMPDIR": rig.path])
    try awaitTrue("a ring is not heard") { try daemon.ringReport().player == "paplay" }
  }

  /// The first event about a ring that lacked something.
  private func unnoticed(_ daemon: DaemonProcess) throws -> Wire.Event {
    try daemon.events(after: 0).event { $0.type == .unnoticed }
  }

  @Test func `A ring that nobody could see or hear is recorded, unless its command is enough`()
    throws
  {
    let daemon = try rig.ringingDaemon()
    try daemon.ring("told") { $0 = Wire.Ring(running: ["/bin/true"], environment: [:]) }
    try daemon.ring("tea")
    let event = try unnoticed(daemon)
    #expect(event.name == "tea" && event.expiry == 1)
    #expect(event.unseen == .missing && event.unheard == .missing)
    #expect(event.reason?.hasSuffix("pw-play, paplay and aplay are not in PATH") == true)
    let ring = try daemon.connect().timer(.get(name: "tea")).openRing
    #expect(ring?.unseen == .missing && ring?.unheard == .missing)
    #expect(try daemon.ledger().count { $0.type == .unnoticed } == 1)
  }

  @Test func `Do not disturb is recorded for what it hid, and for nothing else`() throws {
    try playSounds()
    let (mock, daemon) = try rig.desktop()
    try daemon.ring("noticed", on: mock)
    try mock.pause(interface: "org.dunstproject.cmd0", property: "paused")
    try daemon.ring("tea")
    let event = try unnoticed(daemon)
    #expect(event.name == "tea" && event.unseen == .paused && event.unheard == .paused)
    #expect(event.reason == "the user has paused the notification server")
    // The ring before it was looked at before it.
    #expect(try daemon.ledger().count { $0.type == .unnoticed } == 1)
  }

  /// A daemon, and a server that did not show the ring of `tea`, because the user had paused it.
  private func unseenRing() throws -> (NotificationMock, DaemonProcess) {
    let (mock, daemon) = try rig.desktop()
    try mock.pause(interface: "org.dunstproject.cmd0", property: "paused")
    try daemon.ring("tea", on: mock)
    #expect(try unnoticed(daemon).unseen == .paused)
    try mock.pause(interface: "org.dunstproject.cmd0", property: "paused", false)
    return (mock, daemon)
  }

  @Test func `After a sleep, the popup for all names the rings that nobody could see`() throws {
    let (mock, daemon) = try unseenRing()
    try daemon.ringTogether(["egg", "rice"])
    let shown = try mock.nextNotify { $0.summary.contains("timers") }
    // They did not all ring in the sleep.
    #expect(shown.summary == "3 timers rang")
    let lines = shown.body.split(separator: "\n")
    #expect(lines.count == 3 && lines.first == "tea, missed")
    #expect(lines.dropFirst().allSatisfy { !$0.hasSuffix("missed") })
  }

  @Test func `After a sleep, a ring that nobody could see has a popup again`() throws {
    let (mock, daemon) = try unseenRing()
    // The server gave it up. When the daemon knows the next popup, it knows that, too.
    try mock.closed(1, reason: 1)
    try daemon.ring("egg")
    try daemon.awaitNoted(2)
    try daemon.stop()
    try daemon.options.pretendSleep(seconds: 30)
    try daemon.proceed()
    let shown = try mock.nextNotify { $0.summary == "tea" }
    #expect(shown.replacesID == 0)
  }
}
