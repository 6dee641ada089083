import NightjarClient
import NightjarTestSupport
import Testing

/// The sound of a killed daemon, as recorded at a sound server.
@Suite(.blocking) struct KilledRingTests {
  @Test func `After a kill only the next daemon is heard, and it can be silenced`() throws {
    let rig = try Rig()
    let recording = try SoundRecorder(of: rig)
    // The player of the killed daemon would play much longer than the test takes.
    let tone = "\(rig.path)/home/tone.wav"
    try SoundRecorder.writeTone(seconds: 100, to: tone)
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
}
