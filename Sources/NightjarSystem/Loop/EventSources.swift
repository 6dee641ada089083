import CSystemd

/// A received signal.
public struct SignalInfo: Equatable, Sendable {
  /// Its number.
  public let signal: Int32
  /// The process that sent it; 0 for the kernel, or for a process outside this PID namespace.
  public let pid: Int32
  /// The user that sent it.
  public let uid: UInt32
}

/// How a process ended.
public enum ChildEnd: Equatable, Sendable {
  /// By itself, with this status.
  case exited(Int32)
  /// By this signal.
  case killed(Int32)
}

/// A source of events. The loop watches it as long as this object exists.
public final class Source {
  enum Handler {
    case readable(() -> Void)
    case ready((EpollSet.Events) -> Void)
    case signal((SignalInfo) -> Void)
    case child((ChildEnd) -> Void)
  }

  var raw: OpaquePointer?
  private let handler: Handler

  init(_ handler: Handler) { self.handler = handler }

  deinit { cancel() }

  /// Whether the handler is called. A condition that arises while this is off is reported when it
  /// is on again, if it still holds.
  public var isEnabled = true {
    didSet {
      sd_event_source_set_enabled(raw, Int32(isEnabled ? SD_EVENT_ON : SD_EVENT_OFF))
    }
  }

  /// Whether a source of `EventLoop.watch` also reports room to write.
  public var watchesWritable = false {
    didSet {
      guard watchesWritable != oldValue, raw != nil else { return }
      var events = EpollSet.Events.readable
      if watchesWritable { events.insert(.writable) }
      sd_event_source_set_io_events(raw, events.rawValue)
    }
  }

  /// Stops watching; the handler is not called any more. May be called from the handler, and more
  /// than once.
  public func cancel() {
    sd_event_source_disable_unref(raw)
    raw = nil
  }

  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func dispatch(_ info: SignalInfo?) {
    // sd-event always passes an info.
    if case .signal(let handler) = handler, let info { handler(info) }
  }

  func dispatch(_ events: EpollSet.Events) {
    switch handler {
    case .readable(let handler): handler()
    case .ready(let handler): handler(events)
    case .signal, .child: break
    }
  }

  func dispatch(_ end: ChildEnd) {
    if case .child(let handler) = handler { handler(end) }
  }
}

/// A deadline on one clock. It fires once and is then off until it is armed again.
public final class TimerSource {
  var raw: OpaquePointer?
  private let handler: () -> Void
  private var armedAtUsec: Int64?

  init(_ handler: @escaping () -> Void) { self.handler = handler }

  deinit { cancel() }

  /// Arms the timer for an absolute time on its clock in microseconds; nil turns it off. A time in
  /// the past fires in the next iteration. Arming it for the same time again does nothing.
  ///
  /// It never fires early on its clock. Many calls cost little: sd-event has one timerfd per clock,
  /// and sets it once before the next wait.
  public func arm(atUsec: Int64?) {
    guard atUsec != armedAtUsec, let raw else { return }
    armedAtUsec = atUsec
    guard let atUsec else {
      sd_event_source_set_enabled(raw, Int32(SD_EVENT_OFF))
      return
    }
    // These calls fail only on a loop that has ended, and such a loop does not wait for timers.
    sd_event_source_set_time(raw, UInt64(max(atUsec, 0)))
    sd_event_source_set_enabled(raw, Int32(SD_EVENT_ONESHOT))
  }

  /// Ends the timer for good; arming it has no effect any more. May be called from the handler.
  public func cancel() {
    sd_event_source_disable_unref(raw)
    raw = nil
    armedAtUsec = nil
  }

  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func dispatch() {
    armedAtUsec = nil
    handler()
  }
}
