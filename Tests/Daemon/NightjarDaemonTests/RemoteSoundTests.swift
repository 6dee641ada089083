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

  @Test func `A ring of another machine that nobody answers falls silent`() throws {
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
}
