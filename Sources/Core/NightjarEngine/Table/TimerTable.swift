public import NightjarModel

/// All timers, by slot and by name. A name of up to 16 bytes is in the record, a longer one in an
/// arena.
public struct TimerTable: ~Copyable {
  /// The number of slots that are written to disk together.
  public static let chunkSlots = 512

  /// The number of timers, in any state.
  public private(set) var count = 0
  /// One more than the highest slot that was ever used.
  public private(set) var slotEnd = 0

  private var records = ChunkedArray<TimerRecord>()
  private var index = NameIndex()
  private var names = NameArena()
  /// The attachments by slot, in chunks of `chunkSlots`. Most timers have no attachments, so most
  /// chunks are nil.
  private var attachments: [[Attachments?]?] = []
  private var rings = RingTable()
  private var details = ChunkedArray<TimerDetail>()
  private var specs = SpecTable()
  /// The laps of stopwatches, by slot; few timers have any.
  private var laps: [Int: [Int64]] = [:]
  private var interruptions: [Int: Interruption] = [:]
  private var failures: [Int: CommandFailure] = [:]
  /// The skipped expiries as `Event.SkippedExpiry.key`, in order, by slot; few timers have any.
  private var passedOver: [Int: [Int64]] = [:]
  private var freeSlots: [UInt32] = []
  /// Whether the table is loaded from disk. Timers are then inserted into any slots, and the free
  /// slots are known only at the end.
  private var isLoading: Bool

  /// Makes an empty table. With `loading`, call `finishLoading()` after the last timer.
  public init(loading: Bool = false) {
    isLoading = loading
  }

  /// The timer in `slot`, which is in use.
  @inline(__always)
  public subscript(slot: Int) -> TimerRecord {
    get { records[slot] }
    nonmutating set { records[slot] = newValue }
  }

  /// Whether there is a timer in `slot`.
  public func isOccupied(_ slot: Int) -> Bool {
    slot < slotEnd && records.pointer(slot).pointee.state != nil
  }

  /// The bytes of the timer's name, as UTF-8; valid until the timer is removed or renamed.
  @inline(__always)
  public func nameBytes(_ slot: Int) -> UnsafeRawBufferPointer {
    let record = records.pointer(slot)
    let count = Int(record.pointee.nameCount)
    guard count > ShortName.byteCount else {
      return UnsafeRawBufferPointer(start: record.pointer(to: \.shortName)!, count: count)
    }
    return names.bytes(record.pointee.shortName.block, count: count)
  }

  public func name(_ slot: Int) -> String {
    String(decoding: nameBytes(slot), as: UTF8.self)
  }

  /// The labels, data and ring of a timer.
  public func attachments(_ slot: Int) -> Attachments? {
    let chunk = slot / Self.chunkSlots
    guard chunk < attachments.count else { return nil }
    return attachments[chunk]?[slot % Self.chunkSlots]
  }

  public mutating func attach(_ value: Attachments?, to slot: Int) {
    let chunk = slot / Self.chunkSlots
    let before = attachments(slot)?.ring
    defer { if let before { rings.release(before) } }
    guard var value, !value.isEmpty else {
      guard chunk < attachments.count, attachments[chunk] != nil else { return }
      attachments[chunk]?[slot % Self.chunkSlots] = nil
      return
    }
    value.ring = value.ring.map { rings.retain($0) }
    while attachments.count <= chunk { attachments.append(nil) }
    if attachments[chunk] == nil {
      attachments[chunk] = Array(repeating: nil, count: Self.chunkSlots)
    }
    attachments[chunk]?[slot % Self.chunkSlots] = value
  }

  /// The number of different rings in use.
  public var ringCount: Int { rings.count }

  /// The detail of the timer in `slot`; nil: it is a plain countdown.
  @inline(__always)
  public func detail(_ slot: Int) -> TimerDetail? {
    records.pointer(slot).pointee.hasDetail ? details[slot] : nil
  }

  func changeDetail(_ slot: Int, _ body: (inout TimerDetail) -> Void) {
    body(&details.pointer(slot).pointee)
  }

  /// The specification of the timer in `slot`.
  public func spec(_ slot: Int) -> SharedSpec {
    specBeyondCountdown(slot) ?? .plain
  }

  /// The specification of the timer in `slot`; nil: it is a plain countdown.
  @inline(__always)
  func specBeyondCountdown(_ slot: Int) -> SharedSpec? { detail(slot).map { specs[$0.spec] } }

  /// The number of different specifications in use.
  public var specCount: Int { specs.count }

  /// Replaces the specification and detail of a timer. A plain countdown needs neither.
  mutating func assign(_ spec: SharedSpec, _ detail: TimerDetail = TimerDetail(), to slot: Int) {
    let before = self.detail(slot)?.spec
    let isMore = spec !== SharedSpec.plain && !spec.isPlain
    records.pointer(slot).pointee.hasDetail = isMore
    if isMore {
      details.reserve(slot)
      var detail = detail
      detail.spec = specs.retain(spec)
      details[slot] = detail
    }
    if let before { specs.release(before) }
  }

  /// The times of a stopwatch's laps, in order, in microseconds.
  public func laps(_ slot: Int) -> [Int64] { laps[slot] ?? [] }

  /// A pause of the timer in `slot` that did not change `setSeq`; nil: there was none.
  public func interruption(_ slot: Int) -> Interruption? {
    records[slot].isInterrupted ? interruptions[slot] : nil
  }

  mutating func setInterruption(_ value: Interruption?, _ slot: Int) {
    interruptions[slot] = value
    records[slot].isInterrupted = value != nil
  }

  /// The last failed command of a timer; nil: none failed, or a client dismissed it.
  public func failure(_ slot: Int) -> CommandFailure? {
    records[slot].hasFailure ? failures[slot] : nil
  }

  /// Replaces the failed command of a timer. If there are more than `Limits.failures`, the oldest
  /// one is dropped, which is O(`Limits.failures`); else O(1).
  mutating func setFailure(_ value: CommandFailure?, _ slot: Int) {
    guard value != nil || records[slot].hasFailure else { return }
    failures[slot] = value
    records[slot].hasFailure = value != nil
    guard failures.count > Limits.failures,
      let oldest = failures.min(by: {
        ($0.value.callingSeq, $0.key) < ($1.value.callingSeq, $1.key)
      })
    else { return }
    failures[oldest.key] = nil
    records[oldest.key].hasFailure = false
  }

  /// Replaces the laps of a stopwatch.
  mutating func setLaps(_ value: [Int64], _ slot: Int) {
    // Most timers have no laps. Without this check, the daemon would make a dictionary lookup for
    // each timer when it starts.
    guard !value.isEmpty || !laps.isEmpty else { return }
    laps[slot] = value.isEmpty ? nil : value
  }

  /// The skipped expiries of a timer as `Event.SkippedExpiry.key`, in order. At most
  /// `Limits.skips`.
  @inline(__always)
  public func passedOver(_ slot: Int) -> [Int64] {
    passedOver.isEmpty ? [] : passedOver[slot] ?? []
  }

  /// Replaces the skipped expiries. If there are more than `Limits.skips`, the first ones are
  /// dropped.
  mutating func setPassedOver(_ value: [Int64], _ slot: Int) {
    guard !value.isEmpty || !passedOver.isEmpty else { return }
    passedOver[slot] = value.isEmpty ? nil : Array(value.sorted().suffix(Limits.skips))
  }

  /// The slot of the timer with this name, in any of its Unicode spellings; nil: there is none.
  /// During the loading always nil. O(1) expected.
  public func slot(named name: UnsafeRawBufferPointer) -> Int? {
    slot(named: name, hash: Self.hash(name))
  }

  private func slot(named name: UnsafeRawBufferPointer, hash: UInt32) -> Int? {
    // Ledgers of earlier versions may have a name in two spellings, so the given one comes first.
    var sameText: Int?
    let found = index.slot(under: hash) { slot in
      guard records.pointer(slot).pointee.nameHash == hash else { return false }
      if equal(nameBytes(slot), name) { return true }
      if self.name(slot) == String(decoding: name, as: UTF8.self) { sameText = slot }
      return false
    }
    return found ?? sameText
  }

  /// The slot of the timer with this name.
  public func slot(named name: String) -> Int? {
    var name = name
    return name.withUTF8 { slot(named: UnsafeRawBufferPointer($0)) }
  }

  /// The slot that the next new timer gets.
  public var nextSlot: Int { freeSlots.last.map { Int($0) } ?? slotEnd }

  /// Ends the loading: builds the name index, with the pages that it needs, and the list of free
  /// slots. O(slots).
  ///
  /// - Returns: a name that two timers have; nil: all names differ.
  public mutating func finishLoading() -> String? {
    isLoading = false
    index = NameIndex(wideFor: count)
    for (hash, slot) in slotsByPart() {
      let slot = Int(slot)
      let other = index.slot(under: hash) { other in
        records.pointer(other).pointee.nameHash == hash
          && equal(nameBytes(other), nameBytes(slot))
      }
      if other != nil { return name(slot) }
      link(slot)
    }
    for slot in stride(from: slotEnd - 1, through: 0, by: -1) where !isOccupied(slot) {
      freeSlots.append(UInt32(slot))
    }
    return nil
  }

  /// The entries for the index, ordered by its parts, so that each part stays in the processor's
  /// cache while it is filled.
  private func slotsByPart() -> [(hash: UInt32, slot: UInt32)] {
    // Count the entries first, so that there is one allocation of the exact size. The allocator can
    // return such an allocation to the kernel as a whole.
    var places = [Int](repeating: 0, count: index.partCount + 1)
    for slot in 0..<slotEnd where isOccupied(slot) {
      places[index.part(of: records.pointer(slot).pointee.nameHash) + 1] += 1
    }
    for part in 1..<places.count { places[part] += places[part - 1] }
    var slots = [(hash: UInt32, slot: UInt32)](repeating: (0, 0), count: count)
    for slot in 0..<slotEnd where isOccupied(slot) {
      let hash = records.pointer(slot).pointee.nameHash
      let part = index.part(of: hash)
      slots[places[part]] = (hash, UInt32(slot))
      places[part] += 1
    }
    return slots
  }

  /// Inserts a timer into a free slot: any slot while loading, `nextSlot` afterwards. O(1).
  public mutating func insert(_ record: TimerRecord, named name: String, at slot: Int) {
    var name = name
    name.withUTF8 { insert(record, named: UnsafeRawBufferPointer($0), at: slot) }
  }

  /// Like `insert(_:named:at:)` with a string, but the name is UTF-8.
  mutating func insert(_ record: TimerRecord, named name: UnsafeRawBufferPointer, at slot: Int) {
    precondition(!isOccupied(slot) && record.state != nil && (isLoading || slot == nextSlot))
    if !isLoading, !freeSlots.isEmpty { freeSlots.removeLast() }
    while slotEnd <= slot {
      records.reserve(slotEnd)
      records.pointer(slotEnd).pointee.state = nil
      slotEnd += 1
    }
    var record = record
    record.hasDetail = false
    record.hasFailure = false
    record.nameHash = Self.hash(name)
    record.nameCount = UInt8(name.count)
    record.shortName = stored(name)
    records[slot] = record
    count += 1
    if !isLoading { link(slot) }
  }

  /// Replaces the timer in `slot`. The result is the same as after `remove` and `insert`, but it
  /// costs less if the name stays the same. O(1).
  mutating func renew(_ record: TimerRecord, named name: String, at slot: Int) {
    precondition(isOccupied(slot) && record.state != nil)
    var name = name
    let old = records[slot]
    guard name.withUTF8({ equal(nameBytes(slot), UnsafeRawBufferPointer($0)) }) else {
      remove(slot)
      return insert(record, named: name, at: slot)
    }
    empty(slot)
    var record = record
    record.hasDetail = false
    (record.nameHash, record.nameCount) = (old.nameHash, old.nameCount)
    record.shortName = old.shortName
    records[slot] = record
  }

  /// Renames a timer. No other timer may have the name. O(1) expected.
  mutating func rename(_ slot: Int, to name: String) {
    var name = name
    let record = records.pointer(slot)
    if !isLoading { index.remove(slot, hash: record.pointee.nameHash) }
    releaseName(slot)
    name.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      record.pointee.nameHash = Self.hash(bytes)
      record.pointee.nameCount = UInt8(bytes.count)
      record.pointee.shortName = stored(bytes)
    }
    if !isLoading { link(slot) }
  }

  private mutating func stored(_ name: UnsafeRawBufferPointer) -> ShortName {
    name.count > ShortName.byteCount ? ShortName(block: names.store(name)) : ShortName(name)
  }

  private mutating func releaseName(_ slot: Int) {
    let record = records.pointer(slot)
    let count = Int(record.pointee.nameCount)
    guard count > ShortName.byteCount else { return }
    names.release(record.pointee.shortName.block, count: count)
  }

  /// Removes all data of a timer except its record.
  private mutating func empty(_ slot: Int) {
    attach(nil, to: slot)
    assign(.plain, to: slot)
    if !laps.isEmpty { laps[slot] = nil }
    if !interruptions.isEmpty { interruptions[slot] = nil }
    if !failures.isEmpty { failures[slot] = nil }
    if !passedOver.isEmpty { passedOver[slot] = nil }
  }

  private mutating func link(_ slot: Int) {
    index.insert(slot) { records.pointer($0).pointee.nameHash }
  }

  /// Removes a timer and frees its slot. O(1) expected.
  public mutating func remove(_ slot: Int) {
    let record = records[slot]
    precondition(record.state != nil)
    if !isLoading { index.remove(slot, hash: record.nameHash) }
    releaseName(slot)
    empty(slot)
    records.pointer(slot).pointee.state = nil
    if !isLoading { freeSlots.append(UInt32(slot)) }
    count -= 1
  }

  /// The hash of a name. Each process uses another seed, so that a client cannot choose names that
  /// collide. All spellings of a name that are equivalent in Unicode have the same hash, such as é as
  /// one code point or two. It is the hash of a `String`, which is made of the bytes for ASCII.
  private static func hash(_ name: UnsafeRawBufferPointer) -> UInt32 {
    var hasher = Hasher()
    let isASCII = places(of: name).allSatisfy { word(name, $0) & 0x8080_8080_8080_8080 == 0 }
    if isASCII {
      hasher.combine(bytes: name)
      hasher.combine(0xFF as UInt8)
    } else {
      hasher.combine(String(decoding: name, as: UTF8.self))
    }
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  /// Where the words of a name begin. Names are read eight bytes at a time, because each request
  /// looks up a name.
  @inline(__always)
  private static func places(of name: UnsafeRawBufferPointer) -> StrideTo<Int> {
    stride(from: 0, to: name.count, by: 8)
  }

  /// The eight bytes of a name at `place`, or its last eight, or all if there are fewer.
  @inline(__always)
  private static func word(_ name: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    guard name.count < 8 else {
      let place = min(place, name.count &- 8)
      return name.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    return name.reduce(0) { $0 << 8 | UInt64($1) }
  }

  @inline(__always)
  private func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    a.count == b.count && Self.places(of: a).allSatisfy { Self.word(a, $0) == Self.word(b, $0) }
  }
}
