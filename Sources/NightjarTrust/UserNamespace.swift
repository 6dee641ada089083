import Glibc

/// The user namespace the process is in (user_namespaces(7)).
public enum UserNamespace {
  /// What the kernel shows for each user that has no number in this namespace: `/proc/sys/kernel/overflowuid`,
  /// as every distribution has it.
  public static let overflowUser: UInt32 = 65_534

  /// Whether it is the machine's own. In another one, such as systemd's PrivateUsers= makes, root may be
  /// anybody without a mapping. False where /proc cannot be read.
  public static let isInitial: Bool = {
    let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The map of the whole range is one line; of others the beginning says that they are others.
    var map = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &map, map.count)
    return count > 0 && mapsEverything(map[..<count])
  }()

  /// Whether a uid_map is the identity over the whole range.
  static func mapsEverything(_ map: ArraySlice<UInt8>) -> Bool {
    let words = map.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }
    return words.map { String(decoding: $0, as: UTF8.self) } == ["0", "0", "4294967295"]
  }
}
