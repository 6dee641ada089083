import NightjarModel

/// The specifications that timers use. Equal ones are stored once.
struct SpecTable {
  private var entries: [(spec: SharedSpec, count: Int)?] = []
  private var free: [UInt32] = []
  private var indices: [SharedSpec: UInt32] = [:]
  /// Indices of specifications, by the address of the object. `retain` looks here first, because
  /// many timers share a few specifications. An entry may be out of date, so `retain` checks it.
  private var hints = [UInt32](repeating: 0, count: hintCount)
  /// The number of entries of `hints`, a power of two.
  private static let hintCount = 256

  /// The number of different specifications.
  var count: Int { indices.count }

  subscript(index: UInt32) -> SharedSpec {
    guard let entry = entries[Int(index)] else {
      preconditionFailure("a specification is used and gone")
    }
    return entry.spec
  }

  /// Counts one more use of a specification and returns its index. O(specification) expected; O(1)
  /// for an object that is in use already.
  mutating func retain(_ spec: SharedSpec) -> UInt32 {
    // Objects are at least 16 bytes apart.
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

  /// Counts one use of a specification less, and forgets the specification after the last use.
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
