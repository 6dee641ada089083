/// The hash FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every machine, unlike Hasher.
package enum FNV1a {
  /// Where it begins.
  package static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of some bytes. O(bytes).
  ///
  /// - Parameter start: another beginning than the usual makes another hash.
  package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = offsetBasis)
    -> UInt64
  {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
