internal import NightjarModel

/// How loud a sound is, from when it began on.
struct Loudness: Equatable {
  /// A sound begins with so much of its amplitude: it is heard in a quiet room, and wakes nobody with a
  /// start.
  private static let quietest = 0.03

  /// Within `Limits.volume`.
  var volume = Limits.volume.upperBound
  /// In so long, in microseconds, it rises from quiet to that.
  var risingUsec: Int64 = 0

  /// As the sound is in its file.
  static let full = Loudness()

  /// By what samples are multiplied in the end. Half the volume is to sound half as loud.
  var gain: Double {
    let part = Double(volume) / Double(Limits.volume.upperBound)
    return part * part
  }

  /// The same so many microseconds after the beginning.
  func gain(after usec: Int64) -> Double {
    guard usec < risingUsec else { return gain }
    let part = Double(max(0, usec)) / Double(risingUsec)
    return gain * (Self.quietest + (1 - Self.quietest) * part * part)
  }

  /// Of two that are to be heard at once.
  func orLouder(_ other: Loudness) -> Loudness {
    Loudness(volume: max(volume, other.volume), risingUsec: min(risingUsec, other.risingUsec))
  }
}
