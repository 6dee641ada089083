import Testing

@testable import NightjarEngine

/// The index of names alone, with hashes chosen by the test.
@Suite struct NameIndexTests {
  /// A value that cannot be copied cannot be used in an expectation.
  private final class Box {
    var index: NameIndex

    init(wideFor room: Int = 0) { index = NameIndex(wideFor: room) }
  }

  private func found(_ box: Box, _ slot: Int, under hash: UInt32) -> Bool {
    box.index.slot(under: hash) { $0 == slot } == slot
  }

  private func mixed(_ slot: Int) -> UInt32 { UInt32(truncatingIfNeeded: slot &* 2_654_435_761) }

  @Test func `Every slot is found at every size, and no slot that was not inserted`() {
    let box = Box()
    for slot in 0..<20_000 {
      box.index.insert(slot) { mixed($0) }
      if slot % 997 == 0 {
        for other in stride(from: 0, through: slot, by: 61) {
          #expect(found(box, other, under: mixed(other)))
        }
      }
    }
    for slot in 0..<20_000 { #expect(found(box, slot, under: mixed(slot))) }
    for slot in 20_000..<20_100 { #expect(!found(box, slot, under: mixed(slot))) }
  }

  @Test func `Hundreds of entries with one hash fill overflow pages, through splits and removals`()
  {
    let box = Box()
    let hash: (Int) -> UInt32 = { $0 < 300 ? 0xAB00_0005 : mixed($0) }
    for slot in 0..<2_000 { box.index.insert(slot, hash: hash) }
    for slot in 0..<300 { #expect(found(box, slot, under: 0xAB00_0005)) }
    for slot in stride(from: 0, to: 300, by: 2) { box.index.remove(slot, hash: 0xAB00_0005) }
    for slot in 0..<300 { #expect(found(box, slot, under: 0xAB00_0005) == (slot % 2 == 1)) }
    for slot in stride(from: 0, to: 300, by: 2) { box.index.insert(slot, hash: hash) }
    for slot in 0..<2_000 { #expect(found(box, slot, under: hash(slot))) }
  }

  @Test func `A lookup hardly ever reads another entry of the page`() {
    let box = Box()
    for slot in 0..<10_000 { box.index.insert(slot) { mixed($0) } }
    var looks = 0
    for slot in 0..<10_000 {
      _ = box.index.slot(under: mixed(slot)) { candidate in
        looks += 1
        return candidate == slot
      }
    }
    #expect(looks < 10_500)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `The index agrees with a dictionary through 50,000 random changes`(seed: UInt64) {
    let box = Box(wideFor: seed == 3 ? 5_000 : 0)
    var present: Set<Int> = []
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    for step in 0..<50_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let slot = Int(state >> 33) % 6_000
      if present.remove(slot) != nil {
        box.index.remove(slot, hash: mixed(slot))
      } else {
        present.insert(slot)
        box.index.insert(slot) { mixed($0) }
      }
      if step % 100 == 0 {
        #expect(found(box, slot, under: mixed(slot)) == present.contains(slot))
      }
    }
    for slot in 0..<6_000 {
      #expect(found(box, slot, under: mixed(slot)) == present.contains(slot))
    }
  }
}
