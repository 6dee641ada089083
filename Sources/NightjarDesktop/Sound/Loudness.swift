internal import NightjarModel

/// The loudness of a sound over time.
struct Loudness: Equatable {
  /// A rising sound begins with this part of its amplitude: it is heard in a quiet room, and does
  /// not startle a sleeper.
  private static let quietest = 0.03

  /// The final volume, within `Limits.volume`.
  var volume = Limits.volume.upperBound
  /// How long the sound takes to rise from quiet to `volume`, in microseconds.
  var risingUsec: Int64 = 0

  /// The loudness of the sound file, unchanged.
  static let full = Loudness()

  /// The final factor for samples. It is quadratic, so that half the volume sounds half as loud.
  var gain: Double {
    let part = Double(volume) / Double(Limits.volume.upperBound)
    return part * part
  }

  /// The factor at `usec` microseconds after the beginning.
  func gain(after usec: Int64) -> Double {
    guard usec < risingUsec else { return gain }
    let part = Double(max(0, usec)) / Double(risingUsec)
    return gain * (Self.quietest + (1 - Self.quietest) * part * part)
  }

  /// The loudness for two sounds that are played as one.
  func orLouder(_ other: Loudness) -> Loudness {
    Loudness(volume: max(volume, other.volume), risingUsec: min(risingUsec, other.risingUsec))
  }
}
