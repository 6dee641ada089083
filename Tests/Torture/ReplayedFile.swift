import NightjarTestSupport

/// Which of the writes that were not synced have come to the disk.
enum Survival {
  /// None.
  case nothing
  /// All of them, as after a kill.
  case everything
  /// All but one page of each file, which is torn.
  case oneTorn
  /// Each sector by itself, in any version, with one of these chances in ten.
  case some(Int)

  static func random(_ random: inout SplitMix) -> Survival {
    switch random.below(6) {
    case 0, 1: .nothing
    case 2: .everything
    case 3: .oneTorn
    default: .some(random.pick([1, 3, 5, 7, 9]))
    }
  }
}

/// One file of a disk that is replayed: what is on it for certain, and what may be.
struct ReplayedFile {
  static let pageBytes = 4096
  static let sectorBytes = 512

  /// What the disk has for certain.
  private var durable: [UInt8] = []
  /// What a read sees.
  private var cache: [UInt8] = []
  /// What a page has been since it was durable, oldest first.
  private var versions: [Int: [[UInt8]]] = [:]
  /// The lengths it has had since then.
  private var lengths: [Int] = []
  /// Pages that a failed sync has left, and that nothing has written again.
  private var abandoned: Set<Int> = []

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    guard !bytes.isEmpty else { return }
    let end = offset + bytes.count
    if cache.count < end {
      cache += [UInt8](repeating: 0, count: end - cache.count)
      lengths.append(end)
    }
    cache.replaceSubrange(offset..<end, with: bytes)
    for page in offset / Self.pageBytes...(end - 1) / Self.pageBytes {
      abandoned.remove(page)
      versions[page, default: []].append(Self.page(page, of: cache))
    }
  }

  mutating func truncate(to length: Int) {
    cache = Self.cut(cache, to: length)
    lengths.append(length)
  }

  /// The kernel holds what was not synced for clean.
  mutating func syncFailed() { abandoned.formUnion(versions.keys) }

  /// A sync has succeeded: what was written is durable, but for what an earlier one has abandoned.
  mutating func synced() {
    durable = Self.cut(durable, to: cache.count)
    for page in versions.keys where !abandoned.contains(page) {
      let start = page * Self.pageBytes
      let end = min(start + Self.pageBytes, cache.count)
      if start < end { durable.replaceSubrange(start..<end, with: cache[start..<end]) }
      versions[page] = nil
    }
    lengths = []
  }

  /// The content as a power cut now may leave it.
  func image(_ survival: Survival, _ random: inout SplitMix) -> [UInt8] {
    switch survival {
    case .nothing: return durable
    case .everything: return cache
    case .oneTorn, .some: break
    }
    let torn = versions.keys.sorted().dropFirst(random.below(versions.count)).first
    var image = durable
    for (page, versions) in versions.sorted(by: { $0.key < $1.key }) {
      for sector in 0..<Self.pageBytes / Self.sectorBytes {
        let version: [UInt8]? =
          switch survival {
          case .oneTorn where page != torn: versions.last
          case .oneTorn: random.oneIn(2) ? versions.last : nil
          case .some(let chance): random.below(10) < chance ? random.pick(versions) : nil
          default: nil
          }
        guard let version else { continue }
        let start = sector * Self.sectorBytes
        Self.put(
          version[start..<start + Self.sectorBytes], at: page * Self.pageBytes + start, in: &image)
      }
    }
    let length = random.pick([durable.count, cache.count] + lengths)
    if case .oneTorn = survival { return Self.cut(image, to: cache.count) }
    // What lies behind the end of the shortest possible file may not be there, the rest is.
    return Self.cut(image, to: length)
  }

  private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, in image: inout [UInt8]) {
    let missing = offset + bytes.count - image.count
    if missing > 0 { image += [UInt8](repeating: 0, count: missing) }
    image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  private static func cut(_ bytes: [UInt8], to length: Int) -> [UInt8] {
    if length <= bytes.count { return Array(bytes[..<length]) }
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  /// A page of a file; what is behind its end is zero.
  private static func page(_ number: Int, of bytes: [UInt8]) -> [UInt8] {
    let start = number * Self.pageBytes
    guard start < bytes.count else { return [UInt8](repeating: 0, count: Self.pageBytes) }
    let part = bytes[start..<min(start + Self.pageBytes, bytes.count)]
    return part + [UInt8](repeating: 0, count: Self.pageBytes - part.count)
  }
}
