import NightjarClient

/// The daemon's log, which also contains the output of timers' commands and of hooks.
enum CommandLog {
  /// The shell command that shows the output of a failed command. If the daemon is a service, its
  /// log is the journal. If a command started the daemon as a detached process, its log is a file.
  /// If the user started the daemon by hand, the result is only a description, because its standard
  /// error may go anywhere.
  static func hint(for failure: Wire.CommandFailure, of session: Session) -> String {
    // The log may also contain lines from an earlier ledger, whose events had the same numbers.
    let field = "NIGHTJAR_SEQ=\(failure.eventSeq)"
    if let status = try? session.status(),
      ServiceUnit.mainProcessID.map(Int64.init) != status.pid
    {
      let path = DaemonLog.path(in: status.storage.stateDirectory)
      return Environment.fileExists(path)
        ? "grep -wF \(field) \(Quoting.quoted(path))"
        : "lines with \(field) in the standard error of the daemon, process \(status.pid)"
    }
    return "journalctl --user \(field)"
  }
}
