internal import NightjarModel

/// The specifications and rings that were read in one load. Equal ones become one object, so that
/// many timers take little memory and are compared by address.
final class Pool {
  private var specs: [[UInt8]: SharedSpec] = [:]
  private var rings: Set<EncodedRing> = []

  func spec(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> SharedSpec {
    let key = Array(bytes)
    if let known = specs[key] { return known }
    var (coder, content) = (Coder(reading: bytes, pool: self), TimerSpec.Shared())
    try content.code(&coder)
    do { try content.check() } catch {
      throw .damaged("a timer cannot be so: \(error.reason)")
    }
    let spec = SharedSpec(content)
    specs[key] = spec
    return spec
  }

  func ring(_ ring: EncodedRing) -> EncodedRing { rings.insert(ring).memberAfterInsert }
}
