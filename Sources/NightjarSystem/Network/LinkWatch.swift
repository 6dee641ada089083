import CLinux
import Glibc

/// Says when the network may be there again: an address was added, or a link came up; rtnetlink(7).
public final class LinkWatch {
  /// Longer than what the kernel says at once: pages of 8 KiB at most.
  private static let datagramBytes = 32 * 1024

  private let socket: Descriptor
  private var source: Source?
  private var news = LinkNews()
  private let cameUp: () -> Void

  /// Begins to receive what the kernel says. `cameUp` is called while `isListening` is set.
  public init(on loop: EventLoop, _ cameUp: @escaping () -> Void) throws(SystemError) {
    self.cameUp = cameUp
    let raw = try checked(nj_link_socket(), "open an rtnetlink socket")
    socket = Descriptor(owning: raw)
    source = try loop.watchReadable(raw) { [unowned self] in isReadable() }
    source?.isEnabled = false
  }

  deinit { source?.cancel() }

  /// Whether it calls `cameUp`; off at first. On some machines a link says something every few
  /// seconds, and a process that is connected is not to be woken up for that. What came meanwhile
  /// is read when this is set, only to know which links are down.
  public var isListening = false {
    didSet {
      guard isListening != oldValue else { return }
      if isListening { _ = drain() }
      source?.isEnabled = isListening
    }
  }

  private func isReadable() {
    if drain() { cameUp() }
  }

  /// Reads all there is.
  ///
  /// - Returns: whether some of it is news. Messages that were lost are, as they may have been.
  private func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.datagramBytes, alignment: 8) { buffer in
      var isNews = false
      while true {
        let count = nj_link_receive(socket.raw, buffer.baseAddress, buffer.count)
        switch count {
        case -ENOBUFS: isNews = true
        case -EINTR: continue
        case ..<0: return isNews
        default:
          let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
          if news.take(datagram) { isNews = true }
        }
      }
    }
  }
}
