internal import Glibc
internal import NightjarSystem

/// A program that is run to its end.
enum Command {
  /// Runs the program on the servers' core, or on the core of the load, which is also this
  /// program's core.
  ///
  /// - Parameter name: the program's name in errors; nil: its first word.
  /// - Returns: what it printed.
  static func output(
    _ words: [String], called name: String? = nil, onServersCore: Bool = true
  ) throws(Unmeasured) -> String {
    let folder = Folder()
    let running = Running(
      words, called: name, output: "\(folder.path)/output", onServersCore: onServersCore)
    return try running.finish()
  }

  /// A running program.
  struct Running {
    let pid: Int32
    private let path: String
    private let name: String

    /// - Parameter path: the file for the program's output.
    init(
      _ words: [String], called name: String? = nil, output path: String, onServersCore: Bool = true
    ) {
      self.path = path
      self.name = name ?? words[0]
      let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard output >= 0 else { fail("\(path) cannot be written") }
      defer { close(output) }
      let pin = onServersCore ? ["taskset", "-c", "\(Server.core)"] : []
      let program = Program(
        path: "/usr/bin/setpriv", arguments: ["setpriv", "--pdeathsig", "KILL"] + pin + words,
        environment: ["PATH=/usr/local/bin:/usr/bin:/bin"], folder: "/")
      do { pid = try program.spawn(output: output) } catch { fail("\(error)") }
    }

    /// Whether it has ended.
    var isOver: Bool { Program.hasEnded(pid) }

    /// Waits until the program has ended. If it failed, the error has the last line of its output.
    ///
    /// - Returns: what it printed.
    func finish() throws(Unmeasured) -> String {
      var status: Int32 = 0
      guard waitpid(pid, &status, 0) == pid, status == 0 else {
        // The last line of systemctl only says where to read more.
        let said = File.text(path).split(separator: "\n").last { !$0.hasPrefix("See ") }
        throw Unmeasured(why: "\(name) failed" + (said.map { ": \($0)" } ?? ""))
      }
      return File.text(path)
    }

    /// Kills the program, and waits until it has ended.
    func end() {
      _ = kill(pid, SIGKILL)
      var status: Int32 = 0
      _ = waitpid(pid, &status, 0)
    }
  }
}
