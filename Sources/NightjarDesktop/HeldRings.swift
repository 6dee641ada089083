internal import NightjarModel
package import NightjarService
internal import NightjarSystem

/// Delays the popups and sounds of timers that expired in a background span, until a client has
/// found out whether the user answered the rings on another machine.
///
/// All events of such a timer wait, in their order. They are released together, so that a ring that
/// was answered in the meantime is not shown.
final class HeldRings {
  private struct Hold {
    weak var stream: HoldStream?
    /// Notifies the server that the hold's stream has something to write.
    let onNews: (HoldStream) -> Void
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

  /// Begins to delay the rings of future background spans for a client. The delay ends when the
  /// stream ends.
  ///
  /// - Parameter onNews: called when the stream has something to write.
  func hold(onNews: @escaping (HoldStream) -> Void) -> HoldStream {
    lastNumber += 1
    let stream = HoldStream(number: lastNumber) { [weak self] in self?.ended($0) }
    holds[lastNumber] = Hold(stream: stream, onNews: onNews)
    return stream
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
  private func ended(_ number: Int64) {
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
      guard let stream = hold.stream else { continue }
      stream.add(span: span)
      hold.onNews(stream)
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
      if let ring = event.heardRing, spans.contains(ring.span) { slots.insert(slot) }
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
  /// - Parameter onNews: called when the stream has something to write.
  package func holdRings(onNews: @escaping (HoldStream) -> Void) -> HoldStream {
    heldRings.hold(onNews: onNews)
  }

  /// Records that the client with this hold has released it. If no other client holds the rings
  /// back, they are shown.
  ///
  /// - Returns: false if there is no hold with this number.
  package func releaseRings(hold: Int64) -> Bool { heldRings.release(hold) }
}
