import Foundation

/// The seed of the random choices of a test run. The variable `NIGHTJAR_SEED` with a printed seed
/// repeats the choices of that run.
package enum Seed {
  package static let ofThisRun: UInt64 = {
    let given = ProcessInfo.processInfo.environment["NIGHTJAR_SEED"].flatMap { UInt64($0) }
    return given ?? UInt64.random(in: 1...999_999)
  }()
}

/// The generator SplitMix64, by Sebastiano Vigna (public domain). It is small, and random enough
/// for the choices of tests.
package struct SplitMix: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64 = Seed.ofThisRun) { (self.seed, state) = (seed, seed) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  package mutating func below(_ end: Int) -> Int { Int(next() % UInt64(max(end, 1))) }

  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[below(choices.count)]
  }
}
