import Foundation
import NightjarModel
import NightjarParameters
import NightjarTestSupport
import Testing

@testable import NightjarDesktop

/// The parts of a ring that need no daemon.
@Suite struct RingPartsTests {
  private static let sounds = "\(Documentation.root)/Sources/Sounds"

  @Test(arguments: RingPlan.builtInSounds)
  func `A built-in sound is a WAVE file, loud enough, and neither clipped nor cut off`(
    name: String
  ) throws {
    let wave = try Data(contentsOf: URL(filePath: "\(Self.sounds)/\(name).wav"))
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(wave[offset + $1]) << (8 * $1) }
    }
    #expect(wave[..<4] == Data("RIFF".utf8) && wave[8..<16] == Data("WAVEfmt ".utf8))
    #expect(number(4, 4) == wave.count - 8 && number(40, 4) == wave.count - 44)
    #expect(number(22, 2) == 1 && number(24, 4) == 22_050 && number(34, 2) == 16)
    let samples = stride(from: 44, to: wave.count, by: 2).map {
      Int(Int16(truncatingIfNeeded: number($0, 2)))
    }
    #expect((2 * 22_050...4 * 22_050).contains(samples.count) && wave.count < 200_000)
    let peak = try #require(samples.map(abs).max())
    #expect((16_000..<32_000).contains(peak))
    #expect(abs(samples[0]) < 200 && abs(samples[samples.count - 1]) < 200)
    // A step that sounds like a click would be a large part of the peak.
    let steps = zip(samples, samples.dropFirst()).map { abs($0 - $1) }
    #expect(try #require(steps.max()) < peak)
  }

  @Test func `Each installed sound has a name, and each name a sound`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.sounds)
    #expect(files.sorted() == RingPlan.builtInSounds.map { "\($0).wav" }.sorted())
  }

  @Test func `A sound rises from quiet to its volume`() {
    let rising = Loudness(volume: 50, risingUsec: 20 * second)
    #expect(rising.gain == 0.25 && Loudness.full.gain(after: 0) == 1)
    let gains = (0...20).map { rising.gain(after: Int64($0) * second) }
    #expect(gains[0] < 0.01 && gains[20] == 0.25)
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `A set of slots behaves as a set`() {
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

  @Test func `A burst of rings lasts until a second without a ring, or until it was answered`() {
    var policy = DigestPolicy()
    var (singles, digest): (Set<Int>, Set<Int>) = ([], [])
    var isDigestUp = false
    /// Rings the timer in a slot, and returns whether it gets its own popup.
    func rings(_ slot: Int, at nowUsec: Int64) -> Bool {
      let shared = policy.slotsForDigest(
        of: [(slot: slot, span: 0)], singles: singles, isInDigest: { digest.contains($0) },
        isDigestUp: isDigestUp, nowUsec: nowUsec)
      guard !shared.isEmpty else {
        singles.insert(slot)
        return true
      }
      isDigestUp = true
      for slot in policy.takeSingles() + shared {
        digest.insert(slot)
        singles.remove(slot)
      }
      return false
    }
    // The fourth within a second makes it a burst, and each further ring extends it by a second.
    let first = (1...9).map { rings($0, at: Int64($0) * 10_000) }
    #expect(first == [true, true, true] + Array(repeating: false, count: 6))
    #expect(!rings(10, at: 1_000_000) && !rings(11, at: 1_900_000))
    #expect(rings(12, at: 3_000_000))
    // After an answer the burst is over.
    for slot in 13...15 { _ = rings(slot, at: 3_000_000) }
    #expect(!rings(16, at: 3_100_000))
    (digest, isDigestUp) = ([], false)
    #expect(rings(17, at: 3_200_000))
  }

  @Test func `However slowly timers ring, only a limited number has its own popup`() {
    func shared(beside count: Int) -> Set<Int> {
      var policy = DigestPolicy()
      return policy.slotsForDigest(
        of: [(slot: 99, span: 0)], singles: Set(0..<count), isInDigest: { _ in false },
        isDigestUp: false, nowUsec: 3_000_000)
    }
    #expect(shared(beside: DigestPolicy.singles - 1) == [])
    #expect(shared(beside: DigestPolicy.singles) == [99])
  }
}
