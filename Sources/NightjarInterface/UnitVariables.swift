/// What a unit's main process is told of the unit (systemd.exec(5), sd_notify(3), sd_listen_fds(3)).
///
/// What it starts inherits that, and would be about its life: answer its watchdog, look for its sockets,
/// take its journal for its own.
public enum UnitVariables {
  /// Their names.
  public static let names: Set<String> = [
    "CREDENTIALS_DIRECTORY", "FDSTORE", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDNAMES",
    "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID", "MAINPID", "MEMORY_PRESSURE_WATCH",
    "MEMORY_PRESSURE_WRITE", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC",
  ]
}
