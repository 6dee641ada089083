public import NightjarModel

/// The notifications that the parts of the daemon exchange. The lifecycle, the observers of the
/// clocks, the engine and the journal post them. The engine and the journal are registered first,
/// so they get each notification before the other parts.
public enum Notification {
  /// A background span begins: the loop arms no deadlines until `willEnterForeground`.
  case didEnterBackground(Span)
  /// The open span gets one more cause.
  case spanExtended(Span)
  /// A background span ended: timers that expired during it fire now.
  case willEnterForeground(Span)
  /// The user left or came back: the `present` counter stops or continues.
  case presenceChanged(Presence)
  /// The user is away while timers run on `present`, so these timers stand still from now on. The
  /// absence has a background span of its own, beside any other open span.
  case absenceBegan(Span)
  /// The user's absence ended, and timers on `present` continue.
  case absenceEnded(Span)
  /// The kernel began to vouch for the wall clock (adjtimex(2) reports it as synchronised). This
  /// showed that some reboots took longer or shorter than assumed. The value has one correction for
  /// each such reboot, in the order of the reboots; never empty.
  case spansCorrected([SpanCorrection])
  /// The wall clock was set by this many microseconds; negative: back.
  case clockStepped(byUsec: Int64)
  /// The machine's time zone or the rules of the zones changed. The value is the name of the zone.
  case zoneChanged(String)
  /// The wall clock became synchronised, or lost its synchronisation.
  case synchronizationChanged(Bool)
  /// An event is in the ledger but not yet on disk: clients must not see it yet.
  case recorded(Event)
  /// Clients may see these events now. If `durable` is true, the events are on disk. If it is
  /// false, writing took too long, and clients see the events before they are on disk.
  case committed([Event], durable: Bool)
  /// These commands may run now. If the disk works, the commands and the events that called them
  /// are on disk. If writing took too long, the commands run before that.
  case actionsCalled([PendingAction])
  /// Writing the last commit failed. Changes that clients requested since the last successful
  /// commit did not happen. With `inDoubt`, the disk may have the commit all the same, so a later
  /// read may show that they did happen.
  case commitFailed(reason: String, inDoubt: Bool)
}

/// An observer of the bus.
public protocol NotificationObserver: AnyObject {
  /// Called on the loop's thread. An observer that wants to change something queues the change
  /// until the delivery has ended.
  func observe(_ notification: Notification, at moment: Moment)
}

/// Delivers notifications to all observers, synchronously and in the order of their registration.
/// Observers never call each other. A notification that is posted during a delivery is delivered
/// after it. So all observers see the same order.
public final class NotificationBus {
  // The runtime check of exclusive access is off for these three. No code is called while one of
  // them is read or changed, so the check cannot find an error. Every event of the daemon passes
  // through here, so the check would cost time.
  @exclusivity(unchecked) private var observers: [any NotificationObserver] = []
  @exclusivity(unchecked) private var isDelivering = false
  @exclusivity(unchecked) private var waiting: [(Notification, Moment)] = []

  /// Makes a bus without observers.
  public init() {}

  /// Adds an observer. The bus calls the observers in the order in which they were added.
  public func register(_ observer: any NotificationObserver) {
    observers.append(observer)
  }

  /// Removes all observers. Each observer refers to the bus and the bus to each observer, so
  /// without this call none of them would ever be freed.
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
    // An observer may post further notifications during this loop.
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
