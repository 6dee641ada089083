public import NightjarModel

/// All timers, by slot and by name.
public struct TimerTable {
  /// The number of slots that are written to disk together.
  public static let chunkSlots = 512

  private struct Row {
    var name: String
    var timer: Timer

    static let free = Row(
      name: "",
      timer: Timer(
        TimerRecord(
          id: 0, lastSeq: 0, originalUsec: 0, durationUsec: 0, deadline: 0, remainingOrLateUsec: 0,
          startedUsec: 0, firedUsec: 0, state: .cancelled, clock: .elapsed, timeline: .elapsed,
          lateCause: nil, setSeq: 0)))
  }

  /// The number of timers, in any state.
  public private(set) var count = 0
  /// The number of timers with a ring of their own.
  public private(set) var ringCount = 0
  /// A free slot has a timer without a name. Not optional rows: the compiler counts references at
  /// each access to an optional one.
  private var rows: [Row] = []
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
  public var slotEnd: Int { rows.count }

  /// Whether there is a timer in `slot`.
  public func isOccupied(_ slot: Int) -> Bool { slot < rows.count && !rows[slot].name.isEmpty }

  public func name(_ slot: Int) -> String { rows[slot].name }

  // MARK: - The timer in a slot, which is in use

  public func timer(_ slot: Int) -> Timer { rows[slot].timer }

  public subscript(slot: Int) -> TimerRecord {
    get { rows[slot].timer.record }
    set { rows[slot].timer.record = newValue }
  }

  public func attachments(_ slot: Int) -> Attachments? { rows[slot].timer.attachments }

  public mutating func attach(_ value: Attachments?, to slot: Int) {
    countRing(slot, -1)
    rows[slot].timer.attachments = value?.isEmpty == true ? nil : value
    countRing(slot, 1)
  }

  /// The state beyond a plain countdown; nil: the timer is a plain countdown.
  public func detail(_ slot: Int) -> TimerDetail? { rows[slot].timer.detail }

  func hasDetail(_ slot: Int) -> Bool { rows[slot].timer.detail != nil }

  /// Changes the detail of a timer that has one.
  mutating func changeDetail(_ slot: Int, _ body: (inout TimerDetail) -> Void) {
    body(&rows[slot].timer.detail!)
  }

  public func spec(_ slot: Int) -> SharedSpec { specBeyondCountdown(slot) ?? .plain }

  /// The specification; nil: the timer is a plain countdown.
  func specBeyondCountdown(_ slot: Int) -> SharedSpec? { rows[slot].timer.detail?.spec }

  /// Replaces the specification.
  mutating func assign(_ spec: SharedSpec, to slot: Int) {
    var detail = rows[slot].timer.detail ?? TimerDetail(spec: spec)
    detail.spec = spec
    rows[slot].timer.detail = spec.isPlain ? nil : detail
  }

  public func laps(_ slot: Int) -> [Int64] { rows[slot].timer.laps }

  mutating func setLaps(_ value: [Int64], _ slot: Int) { rows[slot].timer.laps = value }

  public func passedOver(_ slot: Int) -> [Int64] { rows[slot].timer.passedOver }

  mutating func setPassedOver(_ value: [Int64], _ slot: Int) {
    rows[slot].timer.passedOver = value
  }

  public func interruption(_ slot: Int) -> Interruption? { rows[slot].timer.interruption }

  mutating func setInterruption(_ value: Interruption?, _ slot: Int) {
    rows[slot].timer.interruption = value
  }

  public func failure(_ slot: Int) -> CommandFailure? { rows[slot].timer.failure }

  /// Replaces the failed command. If there are more than `Limits.failures`, the oldest one is
  /// dropped, which is O(`Limits.failures`).
  mutating func setFailure(_ value: CommandFailure?, _ slot: Int) {
    rows[slot].timer.failure = value
    noteFailure(slot)
  }

  private mutating func noteFailure(_ slot: Int) {
    guard rows[slot].timer.failure != nil else {
      failing.remove(slot)
      return
    }
    failing.insert(slot)
    guard failing.count > Limits.failures else { return }
    func age(_ slot: Int) -> (Int64, Int) { (failure(slot)?.callingSeq ?? 0, slot) }
    if let oldest = failing.min(by: { age($0) < age($1) }) { setFailure(nil, oldest) }
  }

  private mutating func countRing(_ slot: Int, _ by: Int) {
    if rows[slot].timer.attachments?.ring != nil { ringCount += by }
  }

  // MARK: - Names

  /// The slot of the timer with this name, in any of its Unicode spellings; nil: there is none.
  /// During the loading always nil.
  public func slot(named name: String) -> Int? { slots[name] }

  /// Renames a timer. No other timer may have the name.
  mutating func rename(_ slot: Int, to name: String) {
    if !isLoading {
      slots[rows[slot].name] = nil
      slots[name] = slot
    }
    rows[slot].name = name
  }

  // MARK: - Inserting and removing

  /// The slot that the next new timer gets.
  public var nextSlot: Int { freeSlots.last ?? rows.count }

  /// Inserts a timer into a free slot: any slot while loading, `nextSlot` afterwards.
  public mutating func insert(_ timer: Timer, named name: String, at slot: Int) {
    precondition(!isOccupied(slot) && (isLoading || slot == nextSlot))
    if !isLoading { _ = freeSlots.popLast() }
    while rows.count <= slot { rows.append(.free) }
    put(timer, named: name, at: slot)
    if !isLoading { slots[name] = slot }
    count += 1
  }

  /// Replaces the timer in `slot` by one with the same name in any spelling.
  mutating func renew(_ timer: Timer, named name: String, at slot: Int) {
    rename(slot, to: name)
    countRing(slot, -1)
    put(timer, named: name, at: slot)
  }

  private mutating func put(_ timer: Timer, named name: String, at slot: Int) {
    rows[slot] = Row(name: name, timer: timer)
    countRing(slot, 1)
    noteFailure(slot)
  }

  /// Removes a timer and frees its slot.
  public mutating func remove(_ slot: Int) {
    if !isLoading {
      slots[rows[slot].name] = nil
      freeSlots.append(slot)
    }
    countRing(slot, -1)
    failing.remove(slot)
    rows[slot] = .free
    count -= 1
  }

  /// Ends the loading: finds the slots of all names, and the free slots. O(slots).
  ///
  /// - Returns: a name that two timers have; nil: all names differ.
  public mutating func finishLoading() -> String? {
    isLoading = false
    slots.reserveCapacity(count)
    for slot in rows.indices.reversed() {
      let name = rows[slot].name
      if name.isEmpty {
        freeSlots.append(slot)
      } else if slots.updateValue(slot, forKey: name) != nil {
        return name
      }
    }
    return nil
  }
}
