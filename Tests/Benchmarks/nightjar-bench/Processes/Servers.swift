internal import Glibc

/// A daemon that is measured, with its data in its own folder.
struct Nightjard {
  let folder = Folder()
  let binary: String

  var socketPath: String { "\(folder.path)/socket" }

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

/// A real mosquitto on a socket in its folder. It keeps nothing on disk.
struct Mosquitto {
  let folder = Folder()

  var socketPath: String { "\(folder.path)/socket" }

  func start() -> Server {
    var lines = ["listener 0 \(socketPath)", "allow_anonymous true", "persistence false"]
    lines += ["log_dest stderr", "log_type error", "log_type warning"]
    // As root, mosquitto would otherwise change to a user who may not write here.
    if getuid() == 0 { lines.append("user root") }
    File.write(lines.joined(separator: "\n") + "\n", to: "\(folder.path)/mosquitto.conf")
    // The package mosquitto installs it in /usr/sbin, which is not in a user's PATH.
    return Server(
      ["/usr/sbin/mosquitto", "-c", "\(folder.path)/mosquitto.conf"], socketPath: socketPath,
      in: folder, saysReady: false)
  }
}

/// A session bus.
struct SessionBus {
  let folder = Folder()

  private var socketPath: String { "\(folder.path)/bus" }
  var address: String { "unix:path=\(socketPath)" }

  func start() -> Server {
    Server(
      ["dbus-daemon", "--session", "--address=\(address)", "--nofork", "--nopidfile"],
      socketPath: socketPath, in: folder, saysReady: false)
  }

  /// What `busctl` prints.
  func busctl(_ words: String...) throws(Unmeasured) -> String {
    try Running.output(
      ["busctl", "--address=\(address)", "--no-legend"] + words, onServersCore: false)
  }

  /// The unique name of a program; nil: it is not on the bus.
  func name(of program: Running) throws(Unmeasured) -> String? {
    // Each line begins with the name and the process ID.
    let lines = try busctl("list", "--unique").split(separator: "\n")
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    return words.first { $0.count > 1 && $0[1] == "\(program.pid)" }?[0]
  }
}
