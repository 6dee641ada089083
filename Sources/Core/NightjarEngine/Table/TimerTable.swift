import NightjarModel

/// All timers, by slot and by name.
public struct TimerTable {
  /// The number of slots that are written to disk together.
  public static let chunkSlots = 512

  private static let free = Timer(
    id: 0, name: "", clock: .elapsed, fullLengthUsec: 0, runLengthUsec: 0, startedUsec: 0,
    phase: .cancelled(atElapsed: 0, remainingUsec: 0))

  /// The number of timers, in any state.
  public private(set) var count = 0
  /// The number of timers with a ring of their own.
  public private(set) var ringSettingsCount = 0
  /// A free slot has a timer without a name. Not optionals: the compiler counts references at each
  /// access to an optional timer.
  private var timers: [Timer] = []
  private var slots: [String: Int] = [:]
  private var freeSlots: [Int] = []
  /// The slots of the timers with a failed command.
  private var failing: Set<Int> = []
  /// Whether the table is loaded from disk. Timers are then inserted into any slots, two may have
  /// one name for a while, and the free slots are known only at the end.
  private var isLoading: Bool

  /// Makes an empty table. With `loading`, call `finishLoading()` after the last timer.
  public init(loading: Bool = false) {
    isLoading = loading
  }

  /// One more than the highest slot that was ever used.
  public var slotEnd: Int { timers.count }

  /// Whether there is a timer in `slot`.
  public func isOccupied(_ slot: Int) -> Bool { slot < timers.count && !timers[slot].name.isEmpty }

  /// The timer in `slot`, which must be in use. `rename`, `attach` and `setFailure` change what the
  /// table counts or finds by; only they may change it.
  public internal(set) subscript(slot: Int) -> Timer {
    _read { yield timers[slot] }
    _modify { yield &timers[slot] }
  }

  // MARK: - What the table counts

  /// Replaces the attachments.
  mutating func attach(_ value: Attachments, to slot: Int) {
    countRing(slot, -1)
    timers[slot].attachments = value.isEmpty ? nil : value
    countRing(slot, 1)
  }

  /// Replaces the failed command. If there are more than `Limits.failures`, the oldest one is
  /// dropped, which is O(`Limits.failures`).
  mutating func setFailure(_ value: CommandFailure?, _ slot: Int) {
    timers[slot].failure = value
    noteFailure(slot)
  }

  private mutating func noteFailure(_ slot: Int) {
    guard timers[slot].failure != nil else {
      failing.remove(slot)
      return
    }
    failing.insert(slot)
    guard failing.count > Limits.failures else { return }
    func age(_ slot: Int) -> (Int64, Int) { (timers[slot].failure?.callingSeq ?? 0, slot) }
    if let oldest = failing.min(by: { age($0) < age($1) }) { setFailure(nil, oldest) }
  }

  private mutating func countRing(_ slot: Int, _ by: Int) {
    if timers[slot].attachments?.ring != nil { ringSettingsCount += by }
  }

  // MARK: - Names

  /// The slot of the timer with this name, in any of its Unicode spellings; nil: there is none.
  /// During the loading always nil.
  public func slot(named name: String) -> Int? { slots[name] }

  /// Renames a timer. No other timer may have the name.
  mutating func rename(_ slot: Int, to name: String) {
    if !isLoading {
      slots[timers[slot].name] = nil
      slots[name] = slot
    }
    timers[slot].name = name
  }

  // MARK: - Inserting and removing

  /// The slot that the next new timer gets.
  public var nextSlot: Int { freeSlots.last ?? timers.count }

  /// Inserts a timer into a free slot: any slot while loading, `nextSlot` afterwards.
  public mutating func insert(_ timer: Timer, at slot: Int) {
    precondition(!isOccupied(slot) && (isLoading || slot == nextSlot))
    if !isLoading { _ = freeSlots.popLast() }
    while timers.count < slot { timers.append(Self.free) }
    if slot == timers.count { timers.append(timer) } else { timers[slot] = timer }
    note(slot)
    if !isLoading { slots[timer.name] = slot }
    count += 1
  }

  /// Replaces the timer in `slot`. No timer in another slot may have the name.
  mutating func renew(_ timer: Timer, at slot: Int) {
    rename(slot, to: timer.name)
    countRing(slot, -1)
    timers[slot] = timer
    note(slot)
  }

  private mutating func note(_ slot: Int) {
    countRing(slot, 1)
    noteFailure(slot)
  }

  /// Removes a timer and frees its slot.
  public mutating func remove(_ slot: Int) {
    if !isLoading {
      slots[timers[slot].name] = nil
      freeSlots.append(slot)
    }
    countRing(slot, -1)
    failing.remove(slot)
    timers[slot] = Self.free
    count -= 1
  }

  /// Ends the loading: finds the slots of all names, and the free slots. O(slots).
  ///
  /// - Returns: a name that two timers have; nil: all names differ.
  public mutating func finishLoading() -> String? {
    isLoading = false
    slots.reserveCapacity(count)
    for slot in timers.indices.reversed() {
      let name = timers[slot].name
      if name.isEmpty {
        freeSlots.append(slot)
      } else if slots.updateValue(slot, forKey: name) != nil {
        return name
      }
    }
    return nil
  }
}
