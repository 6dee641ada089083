internal import NightjarModel

/// The loudness of a sound over time.
struct Loudness: Equatable {
  /// The part of the final amplitude with which a rising sound begins. The user hears it in a quiet
  /// room, and a sleeping user is not startled.
  private static let quietest = 0.03

  /// The final volume, within `Limits.volume`.
  var volume = Limits.volume.upperBound
  /// How long the sound takes to rise from quiet to `volume`, in microseconds.
  var risingUsec: Int64 = 0

  /// The loudness of the sound file, unchanged.
  static let full = Loudness()

  /// The factor for samples at the final volume. It is the square of the volume, so that half the
  /// volume sounds half as loud.
  var gain: Double {
    let part = Double(volume) / Double(Limits.volume.upperBound)
    return part * part
  }

  /// The factor for samples at `usec` microseconds after the beginning.
  func gain(after usec: Int64) -> Double {
    guard usec < risingUsec else { return gain }
    let part = Double(max(0, usec)) / Double(risingUsec)
    return gain * (Self.quietest + (1 - Self.quietest) * part * part)
  }

  /// The loudness for two sounds that are played as one: the louder of the two.
  func orLouder(_ other: Loudness) -> Loudness {
    Loudness(volume: max(volume, other.volume), risingUsec: min(risingUsec, other.risingUsec))
  }
}
