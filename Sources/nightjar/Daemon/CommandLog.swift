import NightjarClient

/// Where all is that commands of timers and hooks print: the daemon's log.
enum CommandLog {
  /// What shows what a command printed: of the journal, if the daemon is a service, or else of the file in
  /// which a detached daemon's standard error goes. A daemon that was started by hand writes to its own.
  static func hint(for failure: CommandFailure, of session: Session) -> String {
    // Numbers of events begin anew with a new ledger; the log knows of earlier ones.
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
