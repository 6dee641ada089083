/// The environment variables with which systemd describes a unit to its main process
/// (systemd.exec(5), sd_notify(3), sd_listen_fds(3)).
///
/// A program that this process starts would inherit the variables, and would act as if it were the
/// main process of the unit. It would answer the unit's watchdog, use the unit's sockets, or write
/// to the unit's journal.
public enum UnitVariables {
  /// The names of the variables.
  public static let names: Set<String> = [
    "CREDENTIALS_DIRECTORY", "FDSTORE", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDNAMES",
    "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID", "MAINPID", "MEMORY_PRESSURE_WATCH",
    "MEMORY_PRESSURE_WRITE", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC",
  ]
}
