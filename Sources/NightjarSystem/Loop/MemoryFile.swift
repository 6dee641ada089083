import CLinux

extension Descriptor {
  /// A file of a size that is nowhere but in memory (memfd_create(2)), all zeros.
  ///
  /// - Parameter name: what /proc calls it.
  public static func memory(_ name: String, bytes: Int64) throws(SystemError) -> Descriptor {
    let raw = nj_memfd(name, bytes)
    guard raw >= 0 else { throw SystemError(operation: "memfd_create", code: -raw) }
    return Descriptor(owning: raw)
  }
}
