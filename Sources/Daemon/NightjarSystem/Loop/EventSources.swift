import CSystemd
import Varlink

public struct SignalInfo: Equatable, Sendable {
  public let signal: Int32
  /// The process that sent it; 0 for the kernel, or for a process outside this PID namespace.
  public let pid: Int32
  /// The user that sent the signal.
  public let uid: UInt32
}

public enum ChildEnd: Equatable, Sendable {
  /// The process ended by itself, with this exit status.
  case exited(Int32)
  /// This signal killed the process.
  case killed(Int32)
}

/// A source of events. The loop watches it as long as this object exists.
public final class Source {
  enum Handler {
    case readable(() -> Void)
    case ready((EpollSet.Events) -> Void)
    case connection(VarlinkConnection, () -> Void)
    case signal((SignalInfo) -> Void)
    case child((ChildEnd) -> Void)
  }

  var raw: OpaquePointer?
  private let handler: Handler

  init(_ handler: Handler) { self.handler = handler }

  deinit { cancel() }

  /// Whether the handler is called. If a condition arises while this is off, and is still true when
  /// this is on again, the handler is called then.
  public var isEnabled = true {
    didSet {
      sd_event_source_set_enabled(raw, Int32(isEnabled ? SD_EVENT_ON : SD_EVENT_OFF))
    }
  }

  /// Whether this source, made by `EventLoop.watch`, also reports that there is room to write.
  public var watchesWritable = false {
    didSet {
      guard watchesWritable != oldValue, raw != nil else { return }
      var events = EpollSet.Events.readable
      if watchesWritable { events.insert(.writable) }
      sd_event_source_set_io_events(raw, events.rawValue)
    }
  }

  /// Watches the connection of this source for what it waits for now. sd-event calls the kernel
  /// only if that has changed.
  public func update() {
    guard raw != nil, case .connection(let connection, _) = handler else { return }
    sd_event_source_set_io_events(raw, EpollSet.Events(connection.awaited).rawValue)
  }

  /// Stops watching. After that, the handler is not called. The handler may call this, and it may
  /// be called more than once.
  public func cancel() {
    sd_event_source_disable_unref(raw)
    raw = nil
  }

  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func dispatch(_ info: SignalInfo?) {
    // sd-event passes an info with every signal.
    if case .signal(let handler) = handler, let info { handler(info) }
  }

  func dispatch(_ events: EpollSet.Events) {
    switch handler {
    case .readable(let handler): handler()
    case .ready(let handler): handler(events)
    case .connection(let connection, let handler):
      connection.advance(events.found)
      handler()
      update()
    case .signal, .child: break
    }
  }

  func dispatch(_ end: ChildEnd) {
    if case .child(let handler) = handler { handler(end) }
  }
}

/// A timer on one clock. It fires once for each time that it is armed.
public final class TimerSource {
  var raw: OpaquePointer?
  private let handler: () -> Void
  /// The time for which the timer is armed; nil: it is off.
  public private(set) var armedAtUsec: Int64?

  init(_ handler: @escaping () -> Void) { self.handler = handler }

  deinit { cancel() }

  /// Arms the timer for an absolute time on its clock in microseconds; nil turns it off. If the
  /// time is in the past, the timer fires in the next iteration. Arming the timer again for the
  /// same time has no effect.
  ///
  /// The timer never fires early on its clock. Calling this often costs little: sd-event has one
  /// timerfd per clock, and sets the timerfd once before the next wait.
  public func arm(atUsec: Int64?) {
    guard atUsec != armedAtUsec, let raw else { return }
    armedAtUsec = atUsec
    guard let atUsec else {
      sd_event_source_set_enabled(raw, Int32(SD_EVENT_OFF))
      return
    }
    // These calls fail only if the loop has ended, and then no timer fires anyway.
    sd_event_source_set_time(raw, UInt64(max(atUsec, 0)))
    sd_event_source_set_enabled(raw, Int32(SD_EVENT_ONESHOT))
  }

  /// Ends the timer for good; arming it has no effect any more. The handler may call this.
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
