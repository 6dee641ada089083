import Foundation
import NightjarCore
import NightjarTestSupport
import Testing

@testable import NightjarDaemon

/// The parts of a ring that need no daemon.
@Suite struct RingPartsTests {
  @Test func `The chime is a WAVE file, loud enough, and neither clipped nor cut off`() throws {
    let wave = try Data(contentsOf: URL(filePath: FakePlayers.chimeFile))
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(wave[offset + $1]) << (8 * $1) }
    }
    #expect(wave[..<4] == Data("RIFF".utf8) && wave[8..<16] == Data("WAVEfmt ".utf8))
    #expect(number(4, 4) == wave.count - 8 && number(40, 4) == wave.count - 44)
    #expect(number(22, 2) == 1 && number(24, 4) == 22_050 && number(34, 2) == 16)
    let samples = stride(from: 44, to: wave.count, by: 2).map {
      Int(Int16(truncatingIfNeeded: number($0, 2)))
    }
    #expect(samples.count == 3 * 22_050)
    let peak = try #require(samples.map(abs).max())
    #expect((16_000..<32_000).contains(peak))
    #expect(abs(samples[0]) < 200 && abs(samples[samples.count - 1]) < 200)
    // A step that is heard as a click would be most of the peak.
    let steps = zip(samples, samples.dropFirst()).map { abs($0 - $1) }
    #expect(try #require(steps.max()) < peak)
  }

  @Test func `A set of slots is a set`() {
    var set = SlotSet()
    var model: Set<Int> = []
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let slot = Int.random(in: 0..<700, using: &generator)
      if Bool.random(using: &generator) {
        set.insert(slot)
        model.insert(slot)
      } else {
        #expect(set.remove(slot) == (model.remove(slot) != nil))
      }
      #expect(set.count == model.count && set.contains(slot) == model.contains(slot))
      let from = Int.random(in: 0..<800, using: &generator)
      #expect(set.first(from: from) == model.filter { $0 >= from }.min())
    }
    #expect(set.prefix(9) == Array(model.sorted().prefix(9)))
    #expect(set.prefix(9) { $0 % 2 == 1 } == Array(model.sorted().filter { $0 % 2 == 1 }.prefix(9)))
  }

  @Test func `A stampede lasts until a second without a ring, or until it was answered`() {
    var stampede = Stampede()
    var cards: [Int: Notifier.Card] = [:]
    var digest: Digest?
    /// Has the timer of a slot ring, and says whether it has a popup of its own.
    func rings(_ slot: Int, at nowUsec: Int64) -> Bool {
      let event = Event(
        seq: 1, timeUsec: 0, subject: Event.Subject(slot: slot, id: 1, name: "t", previous: 0),
        kind: .fired(Ring(atElapsed: 0, lateUsec: 0, cause: nil, span: 0)))
      let rung = Rung(event: event, slot: slot, span: 0)
      let (own, crowd) = stampede.part([rung], cards: cards, digest: digest, nowUsec: nowUsec)
      for rung in own {
        cards[rung.slot] = Notifier.Card(popup: Popup(.test), told: .ringing)
      }
      guard !crowd.isEmpty else { return true }
      if digest == nil { digest = Digest(span: nil) }
      for slot in stampede.takeSingles() + crowd.map(\.slot) {
        digest?.add(slot, rangWith: 1)
        cards[slot] = nil
      }
      return false
    }
    // The fourth within a second makes it one, and each goes on with it for a second.
    let first = (1...9).map { rings($0, at: Int64($0) * 10_000) }
    #expect(first == [true, true, true] + Array(repeating: false, count: 6))
    #expect(!rings(10, at: 1_000_000) && !rings(11, at: 1_900_000))
    #expect(rings(12, at: 3_000_000))
    // Nobody is running any more once it was answered.
    for slot in 13...15 { _ = rings(slot, at: 3_000_000) }
    #expect(!rings(16, at: 3_100_000))
    digest = nil
    #expect(rings(17, at: 3_200_000))
  }

  @Test func `What was written down about popups is read back, and nothing else believed`() throws {
    let folder = try TestFolder()
    let file = PopupFile(folder: folder.path)
    #expect(file.read().isEmpty)
    var contents = PopupFile.Contents(place: "abc :1.7")
    contents.timers = [(3, 17, "tea"), (0, 18, "two  words "), (4, 19, " lead")]
    contents.digest = (9, 5, 8)
    file.write(contents)
    #expect(file.read() == contents)
    let (node, size) = try place(of: file.path)
    // It is written over: what is left of a longer one says nothing.
    var shorter = PopupFile.Contents(place: "abc :1.7")
    shorter.timers = [(4, 19, "b")]
    file.write(shorter)
    #expect(file.read() == shorter)
    file.write(PopupFile.Contents())
    #expect(file.read().isEmpty)
    // No block of it is given back to the disk, which would be waited for.
    let now = try place(of: file.path)
    #expect(now.node == node && now.size == size)
    for text in [
      "", "\n", "nightjar popups 1\ntimer 1 2 a\nend 1\n", "nightjar popups 2 7\ntimer 1 2 a\n",
      "nightjar popups 2 7\ntimer 1 2 a\nend 6\n", "nightjar popups 2 7\ntimer x 2 a\nend 7\n",
      "nightjar popups 2 7\ntimer 1 2\ndigest 1 2\n\u{0}\nend 7\n", "timer 1 2 a\nend 7\n",
    ] {
      #expect(PopupFile.parse(text).isEmpty, "\(text)")
    }
  }

  @Test func `What was not written whole about popups is not believed, nor what was`() throws {
    let folder = try TestFolder()
    let file = PopupFile(folder: folder.path)
    let url = URL(fileURLWithPath: file.path)
    let texts = try ["tea", "egg"].map { name in
      var contents = PopupFile.Contents(place: "abc :1.7")
      contents.timers = [(3, 17, name), (4, 18, name)]
      file.write(contents)
      return try Data(contentsOf: url)
    }
    let half = texts[0].count / 2
    try (texts[1][..<half] + texts[0][half...]).write(to: url)
    #expect(file.read().isEmpty)
    try texts[0].write(to: url)
    #expect(!file.read().isEmpty)
    // It cannot be written.
    try FileManager.default.removeItem(at: url)
    try FileManager.default.createSymbolicLink(
      at: url, withDestinationURL: url.appendingPathExtension("other"))
    #expect(!file.write(PopupFile.Contents(place: "abc :1.7")))
    #expect(file.read().isEmpty && file.write(PopupFile.Contents(place: "abc :1.7")))
  }

  private func place(of path: String) throws -> (node: Int?, size: Int?) {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.systemFileNumber] as? Int, attributes[.size] as? Int)
  }
}
