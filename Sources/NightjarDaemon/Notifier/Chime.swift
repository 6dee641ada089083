internal import CLinux
internal import Glibc
internal import NightjarSystem

/// The sound of a ring where nobody has chosen another: four bells, rising, twice. It is worked out
/// when it is needed first, and nobody else's file.
enum Chime {
  /// In samples a second; nothing in it is above 4 kHz.
  static let rate = 22_050
  /// In seconds.
  static let length = 3.0

  /// When each bell is struck, in seconds, and how high it is, in hertz: E, G sharp, B, E.
  private static let strikes: [(at: Double, hertz: Double)] = [
    (0, 659.26), (0.16, 830.61), (0.32, 987.77), (0.48, 1318.51),
    (1.3, 659.26), (1.46, 830.61), (1.62, 987.77), (1.78, 1318.51),
  ]
  /// What is heard of a bell: each tone by its height above the first, how loud it is, and in how
  /// many seconds it has died away to a thousandth.
  private static let tones: [(ratio: Double, volume: Double, dies: Double)] = [
    (1, 0.4, 1.2), (2, 0.14, 0.7), (2.99, 0.06, 0.4),
  ]

  /// As a file of 16-bit samples, one channel (Microsoft's "Multimedia Programming Interface", RIFF
  /// WAVE). O(samples × tones that are heard).
  static func wave() -> [UInt8] {
    let count = Int(length * Double(rate))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(44 + count * 2)
    func text(_ text: StaticString) { text.withUTF8Buffer { bytes += $0 } }
    func number(_ value: Int, _ size: Int) {
      for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    text("RIFF")
    number(36 + count * 2, 4)
    text("WAVEfmt ")
    number(16, 4)
    number(1, 2)  // samples as they are
    number(1, 2)  // channels
    number(rate, 4)
    number(rate * 2, 4)
    number(2, 2)
    number(16, 2)
    text("data")
    number(count * 2, 4)
    for sample in samples(count) { number(Int(sample), 2) }
    return bytes
  }

  /// A tone that is dying away: a point on a circle that shrinks, which takes no sine for each
  /// sample.
  private struct Tone {
    var (x, y): (Double, Double)
    let (turnX, turnY): (Double, Double)

    init(hertz: Double, volume: Double, dies: Double) {
      let shrinking = pow(0.001, 1 / (dies * Double(rate)))
      let angle = 2 * Double.pi * hertz / Double(rate)
      (x, y) = (volume, 0)
      (turnX, turnY) = (shrinking * cos(angle), shrinking * sin(angle))
    }

    mutating func next() -> Double {
      defer { (x, y) = (x * turnX - y * turnY, x * turnY + y * turnX) }
      return y
    }

    var isHeard: Bool { x * x + y * y > 1e-8 }
  }

  private static func samples(_ count: Int) -> [Int16] {
    var samples: [Int16] = []
    samples.reserveCapacity(count)
    var sounding: [Tone] = []
    var waiting = strikes[...]
    // The last of it goes out in silence.
    let fading = rate / 10
    for index in 0..<count {
      if let strike = waiting.first, Int(strike.at * Double(rate)) <= index {
        waiting.removeFirst()
        sounding.removeAll { !$0.isHeard }
        sounding += tones.map {
          Tone(hertz: strike.hertz * $0.ratio, volume: $0.volume, dies: $0.dies)
        }
      }
      var sum = 0.0
      for tone in sounding.indices { sum += sounding[tone].next() }
      sum *= min(1, Double(count - index) / Double(fading))
      samples.append(Int16(max(-1, min(1, sum)) * 32_767))
    }
    return samples
  }
}

/// The chime in memory, as a file that a player can be lent.
final class ChimeFile {
  let descriptor: Descriptor

  init() throws(SystemError) {
    let bytes = Chime.wave()
    let raw = nj_memfd("nightjar-chime", Int64(bytes.count))
    guard raw >= 0 else { throw SystemError(operation: "memfd_create", code: -raw) }
    descriptor = Descriptor(owning: raw)
    guard pwrite(raw, bytes, bytes.count, 0) == bytes.count else {
      throw SystemError(operation: "write the chime", code: errno)
    }
  }
}
