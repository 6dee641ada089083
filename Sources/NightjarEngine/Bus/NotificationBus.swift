public import NightjarModel

/// What the parts of the daemon tell each other. The lifecycle, the clocks' observers, the engine and the
/// journal post. The engine and the journal observe first; the parts of the daemon observe what they need.
public enum Notification {
  /// Time begins to be hidden; deadlines are disarmed until `willEnterForeground`.
  case didEnterBackground(Span)
  /// An open span has one more cause.
  case spanExtended(Span)
  /// Time is no longer hidden: what came due meanwhile fires now.
  case willEnterForeground(Span)
  /// The user left or came back: the counter of `present` stops, or continues.
  case presenceChanged(Presence)
  /// An absence begins to hide time from timers on `present`. It is a span beside the others.
  case absenceBegan(Span)
  /// It is over.
  case absenceEnded(Span)
  /// The wall clock was vouched for: spans over reboots were longer or shorter than it had said. In
  /// their order; never empty.
  case spansCorrected([SpanCorrection])
  /// The wall clock was set.
  case clockStepped(byUsec: Int64)
  /// The machine's own zone, or the zones' rules, are others; the zone's name.
  case zoneChanged(String)
  /// The wall clock became known to be right, or stopped being so.
  case synchronizationChanged(Bool)
  /// Something entered the ledger; nobody outside may be told yet.
  case recorded(Event)
  /// These are on disk, or could not be for longer than can be waited for (`durable` false): people
  /// may be told.
  case committed([Event], durable: Bool)
  /// These commands were called for by events that are on disk, as they are themselves; or could not
  /// be for longer than can be waited for. They may run.
  case actionsCalled([PendingAction])
  /// The disk would not take the last commit: what people asked for since then did not happen. If that is
  /// in doubt, it may be found to have happened all the same.
  case commitFailed(reason: String, inDoubt: Bool)
}

/// An observer of the bus.
public protocol NotificationObserver: AnyObject {
  /// Called on the loop's thread. An observer that wants to change something queues it until the
  /// delivery is over.
  func observe(_ notification: Notification, at moment: Moment)
}

/// Delivers notifications to all observers, synchronously and in the order of their registration.
/// Nobody calls another observer. What is posted during a delivery is delivered after it, so that
/// all observers see everything in one order.
public final class NotificationBus {
  // Each is read or changed at once and never across a call, so that nothing is to be checked while
  // the program runs; every event of the daemon goes through here.
  @exclusivity(unchecked) private var observers: [any NotificationObserver] = []
  @exclusivity(unchecked) private var isDelivering = false
  @exclusivity(unchecked) private var waiting: [(Notification, Moment)] = []

  /// Makes a bus that nobody observes.
  public init() {}

  /// Adds the last in the order.
  public func register(_ observer: any NotificationObserver) {
    observers.append(observer)
  }

  /// Lets all of them go: they hold the bus as it holds them.
  public func forgetObservers() {
    observers = []
  }

  /// Delivers `notification`, which happened at `moment`. O(observers).
  public func post(_ notification: Notification, at moment: Moment) {
    guard !isDelivering else {
      waiting.append((notification, moment))
      return
    }
    isDelivering = true
    deliver(notification, at: moment)
    // More may join while these are delivered.
    var next = 0
    while next < waiting.count {
      deliver(waiting[next].0, at: waiting[next].1)
      next += 1
    }
    if next > 0 { waiting.removeAll(keepingCapacity: true) }
    isDelivering = false
  }

  private func deliver(_ notification: Notification, at moment: Moment) {
    for observer in observers { observer.observe(notification, at: moment) }
  }
}
