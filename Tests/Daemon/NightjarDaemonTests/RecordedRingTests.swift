import Foundation
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
    // The daemon's PATH has no other player.
    let folder = "\(rig.path)/bin"
    try makeFolder(folder)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/paplay", withDestinationPath: "/usr/bin/paplay")
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

  @Test func `An unanswered ring ends, is reported as missed, and insists`() async throws {
    let daemon = try rig.ringingDaemon(
      config: "ring_for = \"3s\"\nrising = \"1s\"\ninsist = \"2s\"\nsound = \"pulse\"")
    let issue = try await BareTimer.issue { _ in try wrongWhenUnanswered(daemon) }
    #expect(issue == nil)
  }

  /// Rings until a ring is repeated because nobody answered.
  ///
  /// - Returns: what is wrong with the times and the sounds.
  private func wrongWhenUnanswered(_ daemon: DaemonProcess) throws -> [String] {
    let client = try daemon.connect()
    let (begunSeq, before) = (try client.status().storage.lastSeq, recording.count)
    try client.start("tea", usec: 1000)
    let begin = try recording.firstLoud(from: before)
    let events = try daemon.events(after: begunSeq)
    let rang = try events.event { $0.type == .rang }
    let ended = try events.event { $0.type == .unanswered }
    #expect(ended.sounds == 1)
    let ringUsec = ended.timeUsec - rang.timeUsec
    #expect(ringUsec >= 2_900_000)
    #expect(try client.get("tea").ringing == .unanswered)
    let end = recording.count
    let again = try events.event { $0.type == .rangAgain }
    #expect(again.sounds == 2)
    let pauseUsec = again.timeUsec - ended.timeUsec
    #expect(pauseUsec >= 1_900_000)
    #expect(try client.get("tea").ringing == .ringing)
    let next = try recording.firstLoud(from: end + SoundRecorder.rate / 2)
    let samples = try recording.samples()
    // Two sounds of 2.4 s were begun, and nothing was heard between the two rings.
    let last = samples[..<next].lastIndex { abs($0) > SoundRecorder.silence } ?? 0
    let places = "sound from \(begin) to \(last), silence at \(end), sound again from \(next)"
    let isRight =
      last - begin > 2 * SoundRecorder.rate && last < end + SoundRecorder.rate / 10
      && next - last > SoundRecorder.rate
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try awaitTrue("it is still playing") { try daemon.children == 0 }
    return [
      excess("the ring", ringUsec, over: 5 * second),
      excess("the pause", pauseUsec, over: 4 * second), isRight ? nil : places,
    ].compactMap(\.self)
  }
}
