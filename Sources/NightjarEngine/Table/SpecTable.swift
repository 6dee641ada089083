import NightjarModel

/// The specifications in use, each once.
struct SpecTable {
  private var entries: [(spec: SharedSpec, count: Int)?] = []
  private var free: [UInt32] = []
  private var indices: [SharedSpec: UInt32] = [:]
  /// Where specifications were found, by their address, to be looked at first: few differ in a crowd. What a
  /// hint says may be over; whoever goes by it looks.
  private var hints = [UInt32](repeating: 0, count: hintCount)
  /// A power of two.
  private static let hintCount = 256

  /// How many differ.
  var count: Int { indices.count }

  subscript(index: UInt32) -> SharedSpec {
    guard let entry = entries[Int(index)] else {
      preconditionFailure("a specification is used and gone")
    }
    return entry.spec
  }

  /// The number of a specification, which is in use once more. O(specification) expected; O(1) for the very one that
  /// is in use.
  mutating func retain(_ spec: SharedSpec) -> UInt32 {
    // Objects are apart by 16 bytes and more.
    let place = Int(bitPattern: ObjectIdentifier(spec)) &>> 4 & (Self.hintCount &- 1)
    let hint = hints[place]
    if hint < entries.count, let entry = entries[Int(hint)], entry.spec === spec {
      entries[Int(hint)]?.count += 1
      return hint
    }
    let index: UInt32
    if let known = indices[spec] {
      index = known
      entries[Int(index)]?.count += 1
    } else {
      index = free.popLast() ?? UInt32(entries.count)
      if index == entries.count { entries.append(nil) }
      entries[Int(index)] = (spec, 1)
      indices[spec] = index
    }
    hints[place] = index
    return index
  }

  /// A specification is in use once less.
  mutating func release(_ index: UInt32) {
    guard let entry = entries[Int(index)] else {
      preconditionFailure("a specification is given back twice")
    }
    guard entry.count == 1 else {
      entries[Int(index)]?.count -= 1
      return
    }
    indices[entry.spec] = nil
    entries[Int(index)] = nil
    free.append(index)
  }
}
