import CLinux
import Glibc
public import Varlink

/// A set of descriptors that the loop watches as a single source (epoll(7)).
///
/// sd-event dispatches one source per iteration. If each client were a source, each request would
/// cost an epoll_wait and a dispatch: 70,000 requests per second instead of 238,000.
public final class EpollSet {
  /// The events that epoll watches or reports for a descriptor.
  public struct Events: OptionSet, Sendable {
    /// The bits as the kernel defines them.
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The descriptor has something to read, or the other end was closed.
    public static let readable = Events(rawValue: UInt32(NJ_EPOLL_READABLE))
    /// The descriptor has room to write.
    public static let writable = Events(rawValue: UInt32(NJ_EPOLL_WRITABLE))
    /// The connection has failed or ended: EPOLLERR or EPOLLHUP, which the kernel always reports.
    public static let closed = Events(
      rawValue: UInt32(NJ_EPOLL_ERROR | NJ_EPOLL_HANGUP))

    /// The kernel's bits for what a connection waits for.
    public init(_ awaited: VarlinkConnection.Readiness) {
      self = []
      if awaited.contains(.readable) { insert(.readable) }
      if awaited.contains(.writable) { insert(.writable) }
    }

    /// These events, as a connection handles them.
    var found: VarlinkConnection.Readiness {
      var found: VarlinkConnection.Readiness = []
      if contains(.readable) { found.insert(.readable) }
      if contains(.writable) { found.insert(.writable) }
      if !isDisjoint(with: .closed) { found.insert(.closed) }
      return found
    }
  }

  private let epoll: Descriptor
  private var buffer: UnsafeMutableBufferPointer<nj_epoll_event>

  public init() throws(SystemError) {
    epoll = Descriptor(owning: try checked(nj_epoll_create(), "epoll_create1"))
    buffer = .allocate(capacity: 64)
  }

  deinit { buffer.deallocate() }

  /// The descriptor of the set itself, for the loop to watch. It is readable while the set has an
  /// event.
  public var raw: Int32 { epoll.raw }

  /// Watches a descriptor, level-triggered. Each event contains the token. The token should contain
  /// a registration number beside the descriptor: the kernel may give the number of a closed
  /// descriptor to a new one, and then the registration number shows that an event is outdated.
  /// Remove a descriptor before closing it.
  public func add(
    _ fd: Int32, token: UInt64, _ awaited: VarlinkConnection.Readiness = .readable
  ) throws(SystemError) {
    try checked(nj_epoll_add(raw, fd, Events(awaited).rawValue, token), "epoll_ctl add")
  }

  /// Changes the events that a descriptor is watched for. `closed` is always reported.
  public func modify(
    _ fd: Int32, token: UInt64, _ awaited: VarlinkConnection.Readiness
  ) throws(SystemError) {
    try checked(nj_epoll_modify(raw, fd, Events(awaited).rawValue, token), "epoll_ctl modify")
  }

  /// Removes a descriptor. `wait` still delivers those of its events that it has already fetched.
  public func remove(_ fd: Int32) throws(SystemError) {
    try checked(nj_epoll_remove(raw, fd), "epoll_ctl remove")
  }

  /// Delivers the pending events, at most `maximum`, without waiting. If events are left, `raw`
  /// stays readable. The kernel takes turns between descriptors, so every descriptor gets its turn.
  /// `body` must not call `wait`.
  ///
  /// - Returns: the number of delivered events.
  @discardableResult
  public func wait(
    maximum: Int, _ body: (_ token: UInt64, _ events: Events) -> Void
  ) throws(SystemError) -> Int {
    precondition(maximum > 0 && maximum <= Int(Int32.max), "at least one event")
    if buffer.count < maximum {
      buffer.deallocate()
      buffer = .allocate(capacity: maximum)
    }
    let count = try checked(
      nj_epoll_poll(raw, buffer.baseAddress!, Int32(maximum)), "epoll_wait")
    for index in 0..<Int(count) {
      body(buffer[index].token, Events(rawValue: buffer[index].events))
    }
    return Int(count)
  }

  public var isAnyReady: Bool {
    var request = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }
}
