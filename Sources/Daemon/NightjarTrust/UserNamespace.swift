import Glibc

/// The user namespace of the process (user_namespaces(7)).
public enum UserNamespace {
  /// The ID that the kernel shows for users without a mapping in this namespace: the default of
  /// `/proc/sys/kernel/overflowuid`, which all distributions keep.
  public static let overflowUser: UInt32 = 65_534

  /// Whether the process is in the initial namespace. In another one, such as one of systemd's
  /// PrivateUsers=, files of root and of all other users without a mapping look alike. False if
  /// /proc cannot be read.
  public static let isInitial: Bool = {
    let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The initial map is a single line, so the beginning of the file is enough to recognise it.
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
