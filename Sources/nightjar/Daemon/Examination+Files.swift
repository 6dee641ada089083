import Glibc
import NightjarClient
import NightjarTrust

// Examines the daemon's files: its state and its configuration.

extension Examination {
  /// The finding about the state folder: whether the daemon could store its timers in it.
  static func state(_ folder: String?) -> Finding {
    guard let folder else {
      return Finding(
        check: "state", level: .fault,
        text: "nothing says where the daemon keeps its timers", remedy: "set HOME or XDG_STATE_HOME"
      )
    }
    do throws(Distrust) {
      if try TrustRule.stateFolder.check(folder) {
        return access(folder, R_OK | W_OK | X_OK) == 0
          ? Finding(check: "state", level: .fine, text: folder)
          : unwritable(folder, code: errno, in: folder)
      }
    } catch {
      return Finding(
        check: "state", level: .fault,
        text: "\(error.path) \(error.reason), so that no daemon keeps its timers there",
        remedy: error.remedy)
    }
    // The daemon creates the folder inside the nearest existing parent.
    var parent = folder
    while let slash = parent.lastIndex(of: "/"), slash != parent.startIndex {
      parent = String(parent[..<slash])
      var status = stat()
      guard stat(parent, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        return unwritable(parent, code: ENOTDIR, in: folder)
      }
      guard access(parent, W_OK | X_OK) == 0 else {
        return unwritable(parent, code: errno, in: folder)
      }
      break
    }
    return Finding(
      check: "state", level: .fine, text: "\(folder), which the daemon makes when it starts")
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
      default: "make it writable, or set XDG_STATE_HOME"
      }
    return Finding(
      check: "state", level: .fault,
      text: "the daemon cannot keep its timers in \(folder): \(path): \(SystemError.words(code))",
      remedy: remedy)
  }

  /// The finding about the daemon's warnings; nil if there is none. The warning about the
  /// configuration is left out, because `configuration` reports it.
  static func warning(_ status: DaemonStatus) -> Finding? {
    guard let warning = status.warning else { return nil }
    let others = warning.split(separator: "; ").prefix { !$0.hasPrefix(wrongConfiguration) }
    guard !others.isEmpty else { return nil }
    return Finding(check: "warning", level: .advice, text: others.joined(separator: "; "))
  }

  /// The beginning of the daemon's warning about its configuration. If the daemon has several
  /// warnings, this one is the last.
  private static let wrongConfiguration = "the configuration is wrong"
  private static let timeoutUsec: Int64 = 5_000_000

  /// The findings about the daemon's part of the configuration file. `nightjard --check-config`
  /// checks the file as it is now. The daemon's warning shows whether the running daemon could read
  /// the file.
  static func configuration(_ status: DaemonStatus?, path: String?) -> [Finding] {
    let said = InstalledProgram.path(of: "nightjard").flatMap {
      ProgramOutput.end(of: [$0, "--check-config"], environment: [:], within: timeoutUsec)
    }
    let reload = status.map { status in
      ServiceUnit.mainProcessID.map(Int64.init) == status.processID
        ? "systemctl --user reload nightjar.service" : "kill -HUP \(status.processID)"
    }.map { "have the daemon read it: \($0)" }
    if let said, said.status == 1, let problem = said.output.split(separator: "\n").first {
      let remedy = ["correct it", reload].compactMap(\.self).joined(separator: ", then ")
      return [
        Finding(check: "configuration", level: .fault, text: String(problem), remedy: remedy)
      ]
    }
    let all = status?.warning ?? ""
    if let begin = all.firstRange(of: wrongConfiguration)?.lowerBound {
      let warning = String(all[begin...])
      // The daemon may have read another file than `path`. If it did, its warning stays a finding
      // although the file at `path` is correct.
      guard said?.status == 0, let path, warning.contains(path) else {
        return [Finding(check: "configuration", level: .fault, text: warning, remedy: reload)]
      }
      return [
        Finding(
          check: "configuration", level: .advice,
          text: "the daemon read \(path) while it was wrong; it is right now", remedy: reload)
      ]
    }
    guard said?.status == 0, let path else { return [] }
    return [
      Finding(
        check: "configuration", level: .fine,
        text: Environment.fileExists(path) ? path : "none; it would be \(path)")
    ]
  }
}
