/// The servers that are measured, each with what it keeps in a folder of its own.
struct Nightjard {
  let folder = Folder()
  let binary: String

  var socketPath: String { "\(folder.path)/socket" }
  var databasePath: String { "\(folder.path)/state/nightjar.db" }

  /// Starts it on what it kept.
  func start() -> Server {
    Server(
      [binary, "--socket", socketPath, "--state-dir", "\(folder.path)/state"],
      socketPath: socketPath, in: folder, saysReady: true)
  }
}

struct Redis {
  let folder = Folder()
  /// Whether each change is on disk before it is acknowledged.
  let isDurable: Bool
  /// Whether it writes all it has to disk when it is ended, to read it when it is started again.
  var snapshots = false

  var socketPath: String { "\(folder.path)/socket" }

  /// Starts it on what it kept.
  func start() -> Server {
    let persistence =
      isDurable
      ? ["--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
      : ["--appendonly", "no"]
    return Server(
      ["redis-server", "--port", "0", "--unixsocket", socketPath, "--dir", folder.path]
        + [
          "--save", snapshots ? "86400 1" : "", "--supervised", "systemd", "--loglevel", "warning",
        ] + persistence,
      socketPath: socketPath, in: folder, saysReady: true)
  }
}

/// A C program of ours that does as little as a server can.
struct Constant {
  let folder = Folder()
  let binary: String

  var socketPath: String { "\(folder.path)/socket" }

  func start() -> Server {
    Server([binary, socketPath], socketPath: socketPath, in: folder, saysReady: false)
  }
}
