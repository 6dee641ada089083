internal import NightjarModel
internal import NightjarSystem

/// Delays the popups and sounds of timers that expired in a background span, until a client has
/// found out whether the user answered the rings on another machine.
///
/// All events of such a timer wait, in their order. They are released together, so that a ring that
/// was answered in the meantime is not shown.
final class HeldRings {
  private struct Hold {
    /// Called with the ID of each background span that ends.
    let onSpan: (_ span: Int64) -> Void
    /// Whether the client has not released the rings of the last background span yet.
    var isWaiting = false
  }

  private let loop: EventLoop
  private let clock: LoopClock
  private let onRelease: ([Event]) -> Void
  private var timer: TimerSource?
  private var holds: [Int64: Hold] = [:]
  private var lastNumber: Int64 = 0
  /// The background spans whose expiries are delayed; empty if no rings are delayed.
  private var spans: Set<Int64> = []
  /// The slots of the timers whose rings are delayed.
  private var slots: Set<Int> = []
  private var events: [Event] = []

  /// - Parameter onRelease: gets the delayed events, in their order, when they are released.
  init(
    loop: EventLoop, clock: LoopClock, onRelease: @escaping ([Event]) -> Void
  ) throws(SystemError) {
    (self.loop, self.clock, self.onRelease) = (loop, clock, onRelease)
    timer = try loop.timer(on: .monotonic) { [unowned self] in release() }
  }

  deinit { timer?.cancel() }

  /// Begins to delay the rings of future background spans for a client.
  ///
  /// - Parameter onSpan: called with the ID of each background span that ends.
  /// - Returns: the number of this hold.
  func hold(onSpan: @escaping (_ span: Int64) -> Void) -> Int64 {
    lastNumber += 1
    holds[lastNumber] = Hold(onSpan: onSpan)
    return lastNumber
  }

  /// Records that a client has released its hold. If no other client holds the rings back, they are
  /// shown.
  ///
  /// - Returns: false if there is no hold with this number.
  func release(_ number: Int64) -> Bool {
    guard holds[number] != nil else { return false }
    holds[number]?.isWaiting = false
    releaseIfWanted()
    return true
  }

  /// Removes a hold, because its connection was closed.
  func end(_ number: Int64) {
    holds[number] = nil
    // In a later iteration, because the server is about to forget the connection and must not be
    // called back now.
    loop.later { [weak self] in self?.releaseIfWanted() }
  }

  /// Begins to delay rings, because a background span has ended. The events of its expiries follow.
  func begin(span: Int64) {
    guard !holds.isEmpty else { return }
    spans.insert(span)
    for (number, hold) in holds {
      holds[number]?.isWaiting = true
      hold.onSpan(span)
    }
    timer?.arm(atUsec: clock.now.monotonicUsec + Limits.heldRingsUsec)
  }

  /// Stores the events of timers whose rings are delayed.
  ///
  /// - Returns: the events of all other timers, in their order.
  func holdBack(_ events: [Event]) -> [Event] {
    guard !spans.isEmpty else { return events }
    return events.filter { event in
      guard let slot = event.subject?.slot else { return true }
      if let late = event.sounding?.late, spans.contains(late.span) { slots.insert(slot) }
      guard slots.contains(slot) else { return true }
      self.events.append(event)
      return false
    }
  }

  private func releaseIfWanted() {
    if !holds.values.contains(where: \.isWaiting) { release() }
  }

  private func release() {
    timer?.arm(atUsec: nil)
    let released = events
    (spans, slots, events) = ([], [], [])
    for number in holds.keys { holds[number]?.isWaiting = false }
    if !released.isEmpty { onRelease(released) }
  }
}

extension Notifier {
  /// Begins to hold rings back for a client, as the method `HoldRings` describes.
  ///
  /// - Parameter onSpan: called with the ID of each background span that ends.
  /// - Returns: the number of this hold.
  package func holdRings(onSpan: @escaping (_ span: Int64) -> Void) -> Int64 {
    heldRings.hold(onSpan: onSpan)
  }

  /// Records that the client with this hold has released it. If no other client holds the rings
  /// back, they are shown.
  ///
  /// - Returns: false if there is no hold with this number.
  package func releaseRings(hold: Int64) -> Bool { heldRings.release(hold) }

  /// Ends a hold, because its connection was closed.
  package func endHold(_ hold: Int64) { heldRings.end(hold) }
}
