import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

/// Rings as recorded at a sound server.
@Suite(.blocking, .timed) struct RecordedRingTests {
  let rig: Rig
  let recording: SoundRecorder

  init() throws {
    rig = try Rig()
    recording = try SoundRecorder(of: rig)
    // The daemon's PATH has no other player.
    let folder = "\(rig.path)/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/paplay", withDestinationPath: "/usr/bin/paplay")
  }

  @Test func `A ring rises, is repeated, and is silent within 100 ms of its dismissal`() throws {
    let tone = "\(rig.path)/home/tone.wav"
    try SoundRecorder.writeTone(to: tone)
    let daemon = try rig.ringingDaemon(
      config: "ring_for = \"1min\"\nrising = \"3s\"\nsound = \"\(tone)\"")
    let client = try daemon.connect()
    var delays: [Int64] = []
    for number in 1...5 {
      let before = recording.count
      try client.start("tea", usec: 1000)
      let begin = try recording.firstLoud(from: before)
      if number == 1 {
        // The file lasts a second.
        let peaks = try recording.peaks(from: begin, 10)
        #expect(peaks[0] < 2000, "\(peaks)")
        for (quieter, louder) in zip(peaks.prefix(6), peaks.dropFirst().prefix(5)) {
          #expect(quieter < louder, "\(peaks)")
        }
        #expect(peaks.dropFirst(7).allSatisfy { (15_000...16_100).contains($0) }, "\(peaks)")
      }
      let last = try recording.lastHeard {
        _ = try client.timer(.perform(.dismiss, name: "tea"))
      }
      // Only the first dismissal may fall between two sounds, which measures nothing.
      if let last { delays.append(last) } else { #expect(number == 1) }
    }
    #expect(delays.count >= 4 && delays.allSatisfy { $0 <= 100_000 }, "\(delays)")
    #expect(try daemon.children == 0)
  }

  @Test func `An unanswered ring ends, is reported as missed, and insists`() throws {
    let daemon = try rig.ringingDaemon(
      config: "ring_for = \"3s\"\nrising = \"1s\"\ninsist = \"2s\"\nsound = \"pulse\"")
    let client = try daemon.connect()
    try client.start("tea", usec: 1000)
    let begin = try recording.firstLoud()
    let events = try daemon.events(after: 0)
    let fired = try events.event { $0.type == .fired }
    let ended = try events.event { $0.type == .unanswered }
    #expect(ended.ringNumber == 1)
    #expect((2_900_000...5_000_000).contains(ended.timeUsec - fired.timeUsec))
    #expect(try client.timer(.get(name: "tea")).isUnanswered)
    let end = recording.count
    let again = try events.event { $0.type == .rangAgain }
    #expect(again.ringNumber == 2)
    #expect((1_900_000...4_000_000).contains(again.timeUsec - ended.timeUsec))
    #expect(try !client.timer(.get(name: "tea")).isUnanswered)
    let next = try recording.firstLoud(from: end + SoundRecorder.rate / 2)
    let samples = try recording.samples()
    // Two sounds of 2.4 s were begun, and nothing was heard between the two rings.
    let last = samples[..<next].lastIndex { abs($0) > SoundRecorder.silence } ?? 0
    #expect(last - begin > 2 * SoundRecorder.rate && last < end + SoundRecorder.rate / 10)
    #expect(next - last > SoundRecorder.rate)
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try awaitTrue("it is still playing") { try daemon.children == 0 }
  }
}
