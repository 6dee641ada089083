import NightjarClient

/// The daemon's log, to which commands of timers and hooks print.
enum CommandLog {
  /// The command that shows this output: from the journal if the daemon is a service, else from the
  /// file that receives a detached daemon's standard error. A daemon that the user started by hand
  /// prints to its own standard error.
  static func hint(for failure: CommandFailure, of session: Session) -> String {
    // Event numbers start again with a new ledger, and the log may contain earlier events with the
    // same number.
    let field = "NIGHTJAR_SEQ=\(failure.callingSeq)"
    if let status = try? session.status(),
      ServiceUnit.mainProcessID.map(Int64.init) != status.processID
    {
      let path = DaemonLog.path(in: status.storage.stateDirectory)
      return Environment.fileExists(path)
        ? "grep -wF \(field) \(Quoting.quoted(path))"
        : "lines with \(field) in the standard error of the daemon, process \(status.processID)"
    }
    return "journalctl --user \(field)"
  }
}
