/// Random numbers, which are the same for the same seed (S. Vigna's xorshift64*).
struct Xorshift {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// The next number, at least 0 and below `count`.
  @inline(__always)
  mutating func draw(below count: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    let value = state &* 0x2545_F491_4F6C_DD1D
    return Int(value.multipliedFullWidth(by: UInt64(count)).high)
  }
}
