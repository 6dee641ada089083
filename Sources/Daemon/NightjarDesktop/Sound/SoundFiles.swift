internal import Glibc

/// The sounds that are installed with the daemon, each in a WAVE file of the same name.
enum SoundFiles {
  /// The path of a sound; nil if it is not installed.
  static func path(of name: String) -> String? {
    let path = "\(folder)/\(name).wav"
    return access(path, R_OK) == 0 ? path : nil
  }

  /// Why an installed sound cannot be found: one sentence.
  static func absence(of name: String) -> String {
    "\(folder)/\(name).wav cannot be read; `make install` puts it there"
  }

  /// The folder of the sounds: in the installation prefix of the daemon's program. For a daemon
  /// that was built and not installed, in the source tree.
  private static let folder: String = {
    guard let program = realpath("/proc/self/exe", nil) else { return "/usr/share/nightjar/sounds" }
    defer { free(program) }
    let folders = String(cString: program).split(separator: "/").dropLast()
    let root = folders.lastIndex(of: ".build").map { folders[..<$0] + ["Sources", "Sounds"] }
    let parts = root ?? folders.dropLast() + ["share", "nightjar", "sounds"]
    return parts.map { "/\($0)" }.joined()
  }()
}
