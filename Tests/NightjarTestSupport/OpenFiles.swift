import Glibc

/// The limit of open files of this process. The usual soft limit is 1,024, and each client of a
/// test needs a descriptor in this process as well.
package enum OpenFiles {
  private static let wanted: rlim_t = 8_192

  private static let most: rlim_t = {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < wanted else { return limit.rlim_cur }
    limit.rlim_cur = min(limit.rlim_max, wanted)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
  }()

  /// Raises the limit of open files of this process. This happens once for all tests.
  package static func allowMany() throws {
    guard most >= wanted else {
      throw Unmet(description: "the hard limit of open files, \(most), is too low for this test")
    }
  }
}
