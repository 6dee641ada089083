import Glibc
import NightjarClient
import NightjarModel
import NightjarTrust

// Examines the daemon's files: its state and its configuration.

extension Examination {
  /// The finding about the state folder: whether the daemon could store its timers in it.
  static func state(_ folder: String?) -> Finding {
    guard let folder else {
      return .fault(
        "state", "nothing says where the daemon keeps its timers", "set HOME or XDG_STATE_HOME")
    }
    do throws(Distrust) {
      if try TrustRule.stateFolder.check(folder) {
        let code = fault(
          folder, R_OK | W_OK | X_OK, isNew: !Environment.fileExists("\(folder)/nightjar.db"))
        guard let code else { return .fine("state", folder) }
        return unwritable(folder, code: code, in: folder)
      }
    } catch {
      return .fault(
        "state", "\(error.path) \(error.reason), so that no daemon keeps its timers there",
        error.remedy)
    }
    // The daemon creates the folder inside the nearest existing parent.
    var parent = folder
    repeat {
      parent = String(parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)])
    } while !parent.isEmpty && !Environment.fileExists(parent)
    if parent.isEmpty { parent = "/" }
    if let code = fault(parent, W_OK | X_OK, isNew: true) {
      return unwritable(parent, code: code, in: folder)
    }
    return .fine("state", "\(folder), which the daemon makes when it starts")
  }

  /// Why a daemon cannot start with its files in a folder, as an errno; nil: it can.
  ///
  /// - Parameter isNew: whether the daemon has to create its database there.
  private static func fault(_ folder: String, _ rights: Int32, isNew: Bool) -> Int32? {
    guard Environment.directoryExists(folder) else { return ENOTDIR }
    guard access(folder, rights) == 0 else { return errno }
    var disk = statvfs()
    // Some file systems do not count their blocks, and some not their files.
    guard statvfs(folder, &disk) == 0, disk.f_blocks > 0 else { return nil }
    let blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail
    let needed = isNew ? Limits.freeAtStart : (bytes: disk.f_frsize, files: 0)
    let isFull =
      blocks < needed.bytes / max(1, disk.f_frsize)
      || disk.f_files > 0 && disk.f_favail < needed.files
    return isFull ? ENOSPC : nil
  }

  private static func unwritable(_ path: String, code: Int32, in folder: String) -> Finding {
    var status = stat()
    let isOwn = stat(path, &status) == 0 && status.st_uid == geteuid()
    let remedy =
      switch code {
      case EACCES where isOwn: "chmod u+rwx \(Quoting.quoted(path))"
      case EACCES: "have its owner let you write there, or set XDG_STATE_HOME"
      case EROFS: "mount that file system so that it can be written, or set XDG_STATE_HOME"
      case ENOTDIR: "move it away"
      case ENOSPC:
        "make room there: a start takes \(Limits.freeAtStart.bytes >> 10) KiB (see df -h and df -i); "
          + "or set XDG_STATE_HOME"
      default: "make it writable, or set XDG_STATE_HOME"
      }
    return .fault(
      "state",
      "the daemon cannot keep its timers in \(folder): \(path): \(SystemError.words(code))", remedy)
  }

  /// The finding about the daemon's warnings; nil if there is none. The warning about the
  /// configuration is left out, because `configuration` reports it.
  static func warning(_ status: Wire.Status.Reply) -> Finding? {
    guard let warning = status.warning else { return nil }
    let others = warning.split(separator: "; ").prefix { !$0.hasPrefix(wrongConfiguration) }
    guard !others.isEmpty else { return nil }
    return .advice("warning", others.joined(separator: "; "))
  }

  /// The beginning of the daemon's warning about its configuration. If the daemon has several
  /// warnings, this one is the last.
  private static let wrongConfiguration = "the configuration is wrong"
  private static let timeoutUsec: Int64 = 5_000_000

  /// The findings about the daemon's part of the configuration file. `nightjard --check-config`
  /// checks the file as it is now. The daemon's warning shows whether the running daemon could read
  /// the file.
  static func configuration(_ status: Wire.Status.Reply?, path: String?) -> [Finding] {
    let said = InstalledProgram.path(of: "nightjard").flatMap {
      ProgramOutput.end(of: [$0, "--check-config"], environment: [:], within: timeoutUsec)
    }
    let reload = status.map { status in
      ServiceUnit.mainProcessID.map(Int64.init) == status.pid
        ? "systemctl --user reload nightjar.service" : "kill -HUP \(status.pid)"
    }.map { "have the daemon read it: \($0)" }
    if let said, said.status == 1, let problem = said.output.split(separator: "\n").first {
      let remedy = ["correct it", reload].compactMap(\.self).joined(separator: ", then ")
      return [
        .fault("configuration", String(problem), remedy)
      ]
    }
    let all = status?.warning ?? ""
    if let begin = all.firstRange(of: wrongConfiguration)?.lowerBound {
      let warning = String(all[begin...])
      // The daemon may have read another file than `path`. If it did, its warning stays a finding
      // although the file at `path` is correct.
      guard said?.status == 0, let path, warning.contains(path) else {
        return [.fault("configuration", warning, reload)]
      }
      return [
        .advice(
          "configuration", "the daemon read \(path) while it was wrong; it is right now", reload)
      ]
    }
    guard said?.status == 0, let path else { return [] }
    return [
      .fine("configuration", Environment.fileExists(path) ? path : "none; it would be \(path)")
    ]
  }
}
