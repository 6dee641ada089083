import Foundation
import NightjarClient
import NightjarTestSupport
import Testing

/// The sound of a killed daemon, as recorded at a sound server.
@Suite(.blocking) struct KilledRingTests {
  @Test func `After a kill the next daemon is the only one that is heard, and it can be silenced`()
    throws
  {
    let rig = try Rig()
    let recording = try SoundRecorder(of: rig)
    let folder = "\(rig.path)/bin"
    try makeFolder(folder)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/paplay", withDestinationPath: "/usr/bin/paplay")
    // The player of the killed daemon would play much longer than the test takes.
    let tone = "\(rig.path)/home/tone.wav"
    try Self.writeTone(seconds: 100, to: tone)
    let config = "ring_for = \"3min\"\nrising = 0\nsound = \"\(tone)\""
    var daemon = try rig.ringingDaemon(config: config)
    try daemon.connect().start("tea", usec: 1000)
    _ = try recording.firstLoud()
    try daemon.crash()
    daemon = try rig.ringingDaemon(config: config)
    try awaitTrue("the ring does not continue") { try daemon.children == 1 }
    _ = try recording.firstLoud(from: recording.count)
    _ = try daemon.connect().timer(.perform(.dismiss, name: "tea"))
    try awaitTrue("it is still playing") { try daemon.children == 0 }
    // What the server has already mixed is still heard.
    let silent = recording.count + SoundRecorder.rate / 2
    try recording.awaitSamples(silent + SoundRecorder.rate)
    let rest = try recording.samples(from: silent)
    #expect(rest.allSatisfy { abs($0) <= SoundRecorder.silence }, "another sound is heard")
  }

  /// Writes a square wave of 441 Hz.
  private static func writeTone(seconds: Int, to path: String) throws {
    let count = seconds * SoundRecorder.rate
    var wave = Data("RIFF".utf8)
    func append(_ value: Int, _ bytes: Int) {
      for place in 0..<bytes { wave.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
    append(36 + 2 * count, 4)
    wave += Data("WAVEfmt ".utf8)
    for (value, bytes) in [
      (16, 4), (1, 2), (1, 2), (SoundRecorder.rate, 4), (2 * SoundRecorder.rate, 4), (2, 2),
      (16, 2),
    ] {
      append(value, bytes)
    }
    wave += Data("data".utf8)
    append(2 * count, 4)
    for frame in 0..<count { append(frame / 25 % 2 == 0 ? 8000 : -8000, 2) }
    try wave.write(to: URL(filePath: path))
  }
}
