import Foundation

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// The seed of this run: `NIGHTJAR_SEED`, or always the same.
  static let seed = UInt64(ProcessInfo.processInfo.environment["NIGHTJAR_SEED"] ?? "") ?? 20_261_121
}

extension Array {
  func pick(_ random: inout SeededGenerator) -> Element {
    self[Int.random(in: indices, using: &random)]
  }

  /// Like `pick`, but each of the last `count` elements is a tenth as likely.
  func pick(_ random: inout SeededGenerator, rareLast count: Int) -> Element {
    let isRare = Int.random(in: 0..<10, using: &random) == 0
    return isRare
      ? suffix(count).shuffled(using: &random)[0] : dropLast(count).shuffled(using: &random)[0]
  }
}

extension String {
  /// The text with one character removed, replaced or inserted.
  func mutated(with noise: [Character], _ random: inout SeededGenerator) -> String {
    var characters = Array(self)
    guard !characters.isEmpty else { return self }
    let index = Int.random(in: characters.indices, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: characters.remove(at: index)
    case 1: characters[index] = noise.pick(&random)
    default: characters.insert(noise.pick(&random), at: index)
    }
    return String(characters)
  }
}
