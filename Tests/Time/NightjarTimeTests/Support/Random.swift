import Foundation
import NightjarTestSupport

extension SplitMix {
  /// The seed of this run: `NIGHTJAR_SEED`, or always the same.
  static let usualSeed =
    UInt64(ProcessInfo.processInfo.environment["NIGHTJAR_SEED"] ?? "") ?? 20_261_121
}

extension Array {
  func pick(_ random: inout SplitMix) -> Element {
    self[Int.random(in: indices, using: &random)]
  }

  /// Like `pick`, but each of the last `count` elements is a tenth as likely.
  func pick(_ random: inout SplitMix, rareLast count: Int) -> Element {
    let isRare = Int.random(in: 0..<10, using: &random) == 0
    return isRare
      ? suffix(count).shuffled(using: &random)[0] : dropLast(count).shuffled(using: &random)[0]
  }
}

extension String {
  /// The text with one character removed, replaced or inserted.
  func mutated(with noise: [Character], _ random: inout SplitMix) -> String {
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
