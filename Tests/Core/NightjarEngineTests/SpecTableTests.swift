import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// The table of specifications: equal ones have one number, different ones have different numbers.
@Suite struct SpecTableTests {
  @Test func `Equal specifications in use have one number`() throws {
    // More than there are hints, so that several share a hint; three equal objects of each.
    let objects = try (0..<700).map { kind in
      try (0..<3).map { _ in
        try SharedSpec(kind: .countdown, repeats: true, rounds: Int64(kind + 1))
      }
    }
    var table = SpecTable()
    var uses: [Int: (index: UInt32, count: Int)] = [:]
    var random = SplitMix(seed: 7)
    for _ in 0..<60_000 {
      let kind = Int.random(in: objects.indices, using: &random)
      // Released more often than retained, so that numbers become free and are used again.
      if let use = uses[kind], Int.random(in: 0..<3, using: &random) > 0 {
        table.release(use.index)
        uses[kind] = use.count > 1 ? (use.index, use.count - 1) : nil
      } else {
        let index = table.retain(objects[kind][Int.random(in: 0..<3, using: &random)])
        if let use = uses[kind] { try #require(index == use.index) }
        uses[kind] = (index, (uses[kind]?.count ?? 0) + 1)
      }
      try #require(table.count == uses.count)
      guard let use = uses[kind] else { continue }
      try #require(table[use.index] == objects[kind][0])
    }
    #expect(Set(uses.values.map(\.index)).count == uses.count && uses.count > 100)
    for (kind, use) in uses { #expect(table[use.index].rounds == Int64(kind + 1)) }
  }
}
