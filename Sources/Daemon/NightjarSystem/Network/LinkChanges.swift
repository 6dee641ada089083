/// Parses the kernel's messages about network links and addresses, rtnetlink(7).
///
/// The numbers below are the kernel's (linux/netlink.h, linux/rtnetlink.h, linux/if.h) and are the
/// same on all machines. The messages are in this machine's byte order.
struct LinkChanges {
  private enum Kind {
    static let newLink: UInt16 = 16
    static let endOfLink: UInt16 = 17
    static let newAddress: UInt16 = 20
  }

  /// IFF_RUNNING: the link has a carrier, and is up.
  private static let running: UInt32 = 0x40
  /// IFA_F_TENTATIVE: the kernel still checks whether another machine has the address. The kernel
  /// sends another message when the address can be used.
  private static let tentative: UInt32 = 0x40
  /// IFA_FLAGS: the attribute with all 32 flags of an address. The header has only the first eight.
  private static let allFlags: UInt16 = 8
  private static let headerBytes = 16
  private static let alignment = 4

  /// Links that were not running at the last message about them. The kernel often repeats that a
  /// link is running. Such a message means that the link has come up only if the link is in this
  /// set.
  private var downLinks: Set<UInt32> = []

  /// Parses the messages of one datagram, up to the first malformed message. O(n).
  ///
  /// - Returns: whether the messages report a new usable address, or a link that came up.
  mutating func take(_ datagram: UnsafeRawBufferPointer) -> Bool {
    var hasLinkUp = false
    var rest = datagram[...]
    while let message = Self.next(&rest, lengthBytes: 4, headerBytes: Self.headerBytes) {
      let body = UnsafeRawBufferPointer(rebasing: message.dropFirst(Self.headerBytes))
      switch Self.number(UInt16.self, in: message, at: 4) ?? 0 {
      case Kind.newAddress:
        if Self.isUsable(address: body) { hasLinkUp = true }
      case Kind.newLink:
        if cameUp(link: body) { hasLinkUp = true }
      case Kind.endOfLink:
        if let index = Self.index(ofLink: body) { downLinks.remove(index) }
      default: break
      }
    }
    return hasLinkUp
  }

  /// The message is a struct ifinfomsg: family (1 byte), padding (1), type (2), index (4), flags
  /// (4), change (4).
  private mutating func cameUp(link: UnsafeRawBufferPointer) -> Bool {
    guard let index = Self.index(ofLink: link),
      let flags = Self.number(UInt32.self, in: link[...], at: 8)
    else { return false }
    guard flags & Self.running != 0 else {
      downLinks.insert(index)
      return false
    }
    return downLinks.remove(index) != nil
  }

  private static func index(ofLink link: UnsafeRawBufferPointer) -> UInt32? {
    number(UInt32.self, in: link[...], at: 4)
  }

  /// The message is a struct ifaddrmsg: family (1 byte), length of the prefix (1), flags (1), scope
  /// (1), index (4). Attributes follow: length (2), type (2), value.
  private static func isUsable(address: UnsafeRawBufferPointer) -> Bool {
    guard address.count >= 8 else { return false }
    var flags = UInt32(address[2])
    var rest = address[8...]
    while let attribute = next(&rest, lengthBytes: 2, headerBytes: 4) {
      guard number(UInt16.self, in: attribute, at: 2) == allFlags,
        let all = number(UInt32.self, in: attribute, at: 4)
      else { continue }
      flags = all
    }
    return flags & tentative == 0
  }

  /// Removes the first item from `rest`, and returns it. An item begins with its own length, a
  /// number of `lengthBytes` bytes, and the next item begins at an aligned offset.
  private static func next(
    _ rest: inout Slice<UnsafeRawBufferPointer>, lengthBytes: Int, headerBytes: Int
  ) -> Slice<UnsafeRawBufferPointer>? {
    let length =
      lengthBytes == 2
      ? number(UInt16.self, in: rest, at: 0).map { Int($0) }
      : number(UInt32.self, in: rest, at: 0).map { Int($0) }
    guard let length, length >= headerBytes, length <= rest.count else { return nil }
    defer { rest = rest.dropFirst((length + alignment - 1) / alignment * alignment) }
    return rest.prefix(length)
  }

  private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type, in bytes: Slice<UnsafeRawBufferPointer>, at offset: Int
  ) -> Number? {
    let size = MemoryLayout<Number>.size
    guard bytes.count >= offset + size else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(
      fromByteOffset: offset, as: Number.self)
  }
}
