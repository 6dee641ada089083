import CLinux

extension Descriptor {
  /// Creates a file in memory that contains `bytes` zeros (memfd_create(2)).
  ///
  /// - Parameter name: the name of the file in /proc, for people.
  public static func memory(_ name: String, bytes: Int64) throws(SystemError) -> Descriptor {
    let raw = nj_memfd(name, bytes)
    guard raw >= 0 else { throw SystemError(operation: "memfd_create", code: -raw) }
    return Descriptor(owning: raw)
  }
}
