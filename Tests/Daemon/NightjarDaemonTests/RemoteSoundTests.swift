import Glibc
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarDesktop

/// Sounds for timers of other machines, with the tests' own players.
@Suite(.blocking) struct RemoteSoundTests {
  /// Runs `body` in a process that finds no other players, so that the test makes no noise.
  private func alone(
    _ test: String = #function, _ body: (FakePlayers, NotificationMock) throws -> Void
  ) throws {
    try Role.alone(test) {
      let rig = try Rig()
      let players = try FakePlayers(of: rig)
      try players.install("pw-play")
      try players.runPipeWire()
      let mock = try NotificationMock(of: rig)
      setenv("PATH", "\(rig.path)/bin", 1)
      setenv("XDG_RUNTIME_DIR", "\(rig.path)/run", 1)
      try body(players, mock)
    }
  }

  /// A desk that has read the server's capabilities: it has shown a silent ring, 1.
  private func desk(on mock: NotificationMock, config: String) throws -> RemoteDesk {
    let desk = try RemoteDesk(on: mock, config: "\(config)\nrising = 0")
    desk.ring(.now("first", isSilent: true))
    #expect(try mock.nextNotify { $0.summary == "first" }.isSilent)
    return desk
  }

  @Test func `A ring of another machine sounds until it ends, and a silent one does not`() throws {
    try alone { players, mock in
      try mock.start()
      let desk = try desk(on: mock, config: "ring_for = \"1min\"")
      #expect(try !desk.isPlaying())
      desk.ring(.now("tea"), from: 2)
      #expect(try mock.nextNotify { $0.summary == "tea" }.isSilent)
      for _ in 0..<2 { #expect(try players.next() == FakePlayers.chime) }
      desk.end(2)
      try mock.nextClose(of: 2)
      #expect(try !desk.isPlaying())
    }
  }

  @Test func `A ring of another machine that is not answered in time is missed and falls silent`()
    throws
  {
    try alone { players, mock in
      try mock.start()
      let desk = try desk(on: mock, config: "ring_for = \"1s\"")
      desk.ring(.now("tea"), from: 2)
      let asked = "For laptop, which did not say that it rang."
      #expect(try mock.nextNotify { $0.summary == "tea" }.body == asked)
      #expect(try players.next() == FakePlayers.chime)
      let missed = try mock.nextNotify { $0.summary == "tea" }
      #expect(missed.body == "Missed: not answered.\n\(asked)" && missed.replacesID == 2)
      #expect(try !desk.isPlaying())
      try mock.pressAndClose("dismiss", on: 2)
      let answer = try desk.answers.next("an answer")
      #expect(answer == RemoteDesk.Pressed(key: 2, answer: .dismissed))
    }
  }

  @Test func `Many rings of other machines share one sound`() throws {
    try alone { players, mock in
      try mock.start()
      let desk = try desk(on: mock, config: "ring_for = 0")
      desk.ring(all: (1...30).map { RemoteRing.now("t\($0)") }, from: 2)
      #expect(try players.next() == FakePlayers.chime)
      try awaitTrue("it does not come to an end") { try !desk.isPlaying() }
      #expect(players.all == [FakePlayers.chime])
    }
  }

  @Test func `A server that plays sounds is left to play those of other machines' rings`() throws {
    try alone { players, mock in
      try mock.start(capabilities: "body sound")
      let desk = try desk(on: mock, config: "ring_for = 0")
      desk.ring(.now("tea"), from: 2)
      let shown = try mock.nextNotify { $0.summary == "tea" }
      #expect(shown.hint("sound-name") == ["s", "alarm-clock-elapsed"] && !shown.isSilent)
      // The server has answered, so the desk need not play the sound.
      desk.end(2)
      try mock.nextClose(of: 2)
      #expect(try !desk.isPlaying() && players.all == [])
    }
  }

  @Test func `While the server is paused, only alarms of other machines are heard`() throws {
    try alone { players, mock in
      try mock.start()
      try mock.pause(interface: "org.dunstproject.cmd0", property: "paused")
      let desk = try desk(on: mock, config: "ring_for = 0")
      desk.ring(.now("tea"), .now("mark", isSilent: true), from: 2)
      for name in ["tea", "mark"] { _ = try mock.nextNotify { $0.summary == name } }
      // When this has been read, everything that the server sent before has been, too.
      try mock.press("dismiss", on: 3)
      #expect(try desk.answers.next("an answer").key == 3)
      #expect(try !desk.isPlaying())
      desk.ring(.now("wake", kind: .alarm), from: 4)
      #expect(try players.next() == FakePlayers.chime)
      #expect(players.all.count == 1)
      withExtendedLifetime(desk) {}
    }
  }
}
