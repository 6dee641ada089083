import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Rings as recorded at a sound server.
@Suite(.blocking, .timed) struct RecordedRingTests {
  let rig: Rig
  let recording: SoundRecorder

  init() throws {
    rig = try Rig()
    recording = try SoundRecorder(of: rig)
  }

  @Test func `A ring rises, is repeated, and is silent within 100 ms of its dismissal`()
    async throws
  {
    let tone = "\(rig.path)/home/tone.wav"
    try SoundRecorder.writeTone(to: tone)
    let daemon = try rig.ringingDaemon(
      config: "ring_for = \"1min\"\nrising = \"3s\"\nsound = \"\(tone)\"")
    let issue = try await BareTimer.issue { try wrong(in: daemon, ringing: tone, $0) }
    #expect(issue == nil)
    #expect(try daemon.children == 0)
  }

  /// Rings five times with a tone of a second.
  ///
  /// - Returns: what is wrong with the sounds. A bare player shows how soon a sound ends if a
  ///   program is killed, because a busy machine delays the sound server and the recorder, too.
  private func wrong(
    in daemon: DaemonProcess, ringing tone: String, _ bare: BareTimer
  ) throws -> [String] {
    let client = try daemon.connect()
    var (delays, wrong): ([Int64], [String]) = ([], [])
    for number in 1...5 {
      let before = recording.count
      try client.start("tea", usec: 1000)
      let begin = try recording.firstLoud(from: before)
      if number == 1 {
        // The file lasts a second.
        let peaks = try recording.peaks(from: begin, 10)
        let rises = zip(peaks.prefix(6), peaks.dropFirst().prefix(5)).allSatisfy { $0 < $1 }
        let isFull = peaks.dropFirst(7).allSatisfy { (15_000...16_100).contains($0) }
        if peaks[0] >= 2000 || !rises || !isFull { wrong.append("rose \(peaks)") }
      }
      let last = try recording.lastHeard {
        _ = try client.timer(.perform(.dismiss, name: "tea"))
      }
      // Only the first dismissal may fall between two sounds, which measures nothing.
      if let last { delays.append(last) } else { #expect(number == 1) }
    }
    let player = try recording.delayOfBarePlayer(of: tone)
    let boundUsec = 100 * millisecond + max(0, player - 50 * millisecond)
    wrong += delays.compactMap { excess("silent, a bare player \(player) µs", $0, over: boundUsec) }
    #expect(delays.count >= 4, "\(delays)")
    return wrong
  }
}
