/// The 64-bit hash FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). Unlike Swift's Hasher, it
/// gives the same result on every machine.
package enum FNV1a {
  /// The start value of the standard.
  package static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of a sequence of bytes. O(bytes).
  ///
  /// - Parameter start: a different start value gives a different hash.
  package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = offsetBasis)
    -> UInt64
  {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
