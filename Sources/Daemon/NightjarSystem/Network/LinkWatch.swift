import CLinux
import Glibc

/// Calls a handler when the network may have come back: an address was added or a link came up;
/// rtnetlink(7).
public final class LinkWatch {
  /// The size of the buffer. The kernel's datagrams are shorter: at most a page of 8 KiB.
  private static let datagramBytes = 32 * 1024

  private let socket: Descriptor
  private var source: Source?
  private var changes = LinkChanges()
  private let cameUp: () -> Void

  /// Opens the socket. `cameUp` is called while `isListening` is set.
  public init(on loop: EventLoop, _ cameUp: @escaping () -> Void) throws(SystemError) {
    self.cameUp = cameUp
    let raw = try checked(nj_link_socket(), "open an rtnetlink socket")
    socket = Descriptor(owning: raw)
    source = try loop.watchReadable(raw) { [unowned self] in isReadable() }
    source?.isEnabled = false
  }

  deinit { source?.cancel() }

  /// Whether `cameUp` is called; false at first. On some machines the kernel reports on a link
  /// every few seconds, and that must not wake a process that is connected. When this becomes true,
  /// the messages that arrived before are read only to learn which links are down.
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

  /// Reads all messages that have arrived.
  ///
  /// - Returns: whether the network may have come back. Also true if the kernel dropped messages,
  ///   because one of them may have reported it.
  private func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.datagramBytes, alignment: 8) { buffer in
      var hasLinkUp = false
      while true {
        let count = nj_link_receive(socket.raw, buffer.baseAddress, buffer.count)
        switch count {
        case -ENOBUFS: hasLinkUp = true
        case -EINTR: continue
        case ..<0: return hasLinkUp
        default:
          let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
          if changes.take(datagram) { hasLinkUp = true }
        }
      }
    }
  }
}
