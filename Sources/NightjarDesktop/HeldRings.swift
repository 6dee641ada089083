internal import NightjarModel
package import NightjarService
internal import NightjarSystem

/// Holds back the popups and sounds of expiries in a background span, until clients know whether
/// the rings were answered on another machine.
///
/// All events of a held timer wait, in their order. They are released together, so that a ring that
/// was answered meanwhile is not shown.
final class HeldRings {
  private struct Hold {
    weak var stream: HoldStream?
    /// Called when the stream has something to write.
    let onNews: (HoldStream) -> Void
    /// The client has not released the rings of the last span.
    var isWaiting = false
  }

  private let loop: EventLoop
  private let clock: PassClock
  private let onRelease: ([Event]) -> Void
  private var timer: TimerSource?
  private var holds: [Int64: Hold] = [:]
  private var lastNumber: Int64 = 0
  /// The spans whose expiries are held; empty if nothing is.
  private var spans: Set<Int64> = []
  /// The slots of the held timers.
  private var slots: Set<Int> = []
  private var events: [Event] = []

  /// - Parameter onRelease: gets the held events, in their order.
  init(
    loop: EventLoop, clock: PassClock, onRelease: @escaping ([Event]) -> Void
  ) throws(SystemError) {
    (self.loop, self.clock, self.onRelease) = (loop, clock, onRelease)
    timer = try loop.timer(on: .monotonic) { [unowned self] in release() }
  }

  deinit { timer?.cancel() }

  /// Holds rings for a client from the next background span on, for as long as the stream lasts.
  ///
  /// - Parameter onNews: called when the stream has something to write.
  func hold(onNews: @escaping (HoldStream) -> Void) -> HoldStream {
    lastNumber += 1
    let stream = HoldStream(number: lastNumber) { [weak self] in self?.ended($0) }
    holds[lastNumber] = Hold(stream: stream, onNews: onNews)
    return stream
  }

  /// Shows the rings that a client holds.
  ///
  /// - Returns: false if there is no hold with this number.
  func release(_ number: Int64) -> Bool {
    guard holds[number] != nil else { return false }
    holds[number]?.isWaiting = false
    releaseIfWanted()
    return true
  }

  /// The connection of a hold was closed.
  private func ended(_ number: Int64) {
    holds[number] = nil
    // Later, because the server is about to forget the connection and must not be called back now.
    loop.later { [weak self] in self?.releaseIfWanted() }
  }

  /// Called when a background span is over; its expiries follow.
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

  /// Keeps back the events of held timers.
  ///
  /// - Returns: the other events, in their order.
  func keep(_ events: [Event]) -> [Event] {
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
  /// Holds rings back for a client, as the method `HoldRings` describes.
  ///
  /// - Parameter onNews: called when the stream has something to write.
  package func holdRings(onNews: @escaping (HoldStream) -> Void) -> HoldStream {
    held.hold(onNews: onNews)
  }

  /// Shows the rings that a hold holds back.
  ///
  /// - Returns: false if there is no hold with this number.
  package func releaseRings(hold: Int64) -> Bool { held.release(hold) }
}
