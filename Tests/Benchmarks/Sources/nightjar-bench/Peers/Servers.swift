/// A daemon that is measured, with its data in its own folder.
struct Nightjard {
  let folder = Folder()
  let binary: String

  var socketPath: String { "\(folder.path)/socket" }
  var databasePath: String { "\(folder.path)/state/nightjar.db" }

  /// Starts the server with the data in its folder.
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
  /// Whether it writes all its data to disk when it ends, and reads it when it is started again.
  var snapshots = false

  var socketPath: String { "\(folder.path)/socket" }

  /// Starts the server with the data in its folder.
  func start() -> Server {
    let persistence =
      isDurable
      ? ["--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
      : ["--appendonly", "no"]
    return Server(
      ["redis-server", "--port", "0", "--unixsocket", socketPath, "--dir", folder.path] + [
        "--save", snapshots ? "86400 1" : "", "--supervised", "systemd", "--loglevel", "warning",
      ] + persistence, socketPath: socketPath, in: folder, saysReady: true)
  }
}

/// Our C program that does as little as a server can: it answers every request with the same frame.
struct Constant {
  let folder = Folder()
  let binary: String

  var socketPath: String { "\(folder.path)/socket" }

  func start() -> Server {
    Server([binary, socketPath], socketPath: socketPath, in: folder, saysReady: false)
  }
}
