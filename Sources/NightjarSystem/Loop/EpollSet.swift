import CLinux
import Glibc

/// Many descriptors behind one, which the loop watches as a single source.
///
/// sd-event dispatches one source for each iteration; a source for each client would cost an
/// epoll_wait and a dispatch for each request, and does: 70,000 requests a second in place of
/// 238,000.
public final class EpollSet {
  /// What happened to a descriptor.
  public struct Events: OptionSet, Sendable {
    /// The kernel's own bits.
    public let rawValue: UInt32
    /// A set of the kernel's own bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// There is something to read, or the end of it.
    public static let readable = Events(rawValue: UInt32(NJ_EPOLL_READABLE))
    /// There is room to write.
    public static let writable = Events(rawValue: UInt32(NJ_EPOLL_WRITABLE))
    /// EPOLLERR or EPOLLHUP, reported whether asked for or not: the connection is gone.
    public static let closed = Events(
      rawValue: UInt32(NJ_EPOLL_ERROR | NJ_EPOLL_HANGUP))
  }

  private let epoll: Descriptor
  private var buffer: UnsafeMutableBufferPointer<nj_epoll_event>

  /// An empty set.
  public init() throws(SystemError) {
    epoll = Descriptor(owning: try checked(nj_epoll_create(), "epoll_create1"))
    buffer = .allocate(capacity: 64)
  }

  deinit { buffer.deallocate() }

  /// The descriptor to watch: readable while any of those in the set has something to report.
  public var raw: Int32 { epoll.raw }

  /// Watches a descriptor, level-triggered. The token comes back with each event: pack a
  /// registration's number beside the descriptor, so that an event of one that was closed meanwhile
  /// is recognised after the kernel has given its number to another. Remove a descriptor before it
  /// is closed.
  public func add(
    _ fd: Int32, token: UInt64, readable: Bool = true, writable: Bool = false
  ) throws(SystemError) {
    try checked(nj_epoll_add(raw, fd, bits(readable, writable), token), "epoll_ctl add")
  }

  /// Changes what a descriptor is watched for. With neither, only `closed` is reported.
  public func modify(
    _ fd: Int32, token: UInt64, readable: Bool, writable: Bool
  ) throws(SystemError) {
    try checked(nj_epoll_modify(raw, fd, bits(readable, writable), token), "epoll_ctl modify")
  }

  /// Forgets a descriptor. Events that `wait` has fetched already are still handed out.
  public func remove(_ fd: Int32) throws(SystemError) {
    try checked(nj_epoll_remove(raw, fd), "epoll_ctl remove")
  }

  /// Hands out what there is, at most `maximum` events, without waiting. What is left over keeps
  /// `raw` readable, and the kernel takes turns: nobody is starved. `body` must not call `wait`.
  ///
  /// - Returns: how many events were handed out.
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

  /// Whether there is something to hand out now.
  public var isAnyReady: Bool {
    var request = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  private func bits(_ readable: Bool, _ writable: Bool) -> UInt32 {
    var events: Events = []
    if readable { events.insert(.readable) }
    if writable { events.insert(.writable) }
    return events.rawValue
  }
}
