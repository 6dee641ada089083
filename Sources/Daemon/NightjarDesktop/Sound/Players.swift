internal import Glibc
internal import NightjarConfig
internal import NightjarSystem
internal import NightjarTrust

enum Player: CaseIterable {
  case pipeWire
  case pulseAudio
  case alsa

  var program: String {
    switch self {
    case .pipeWire: "pw-play"
    case .pulseAudio: "paplay"
    case .alsa: "aplay"
    }
  }

  /// The program's arguments.
  ///
  /// - Parameter gain: the factor for samples, up to 1; aplay ignores it.
  func arguments(_ file: String, gain: Double = 1) -> [String] {
    switch self {
    case .pipeWire: gain < 1 ? ["--volume=\(gain)", file] : [file]
    // paplay's scale is the cube root of the gain (pa_sw_volume_from_linear).
    case .pulseAudio: gain < 1 ? ["--volume=\(Int(cbrt(gain) * 65536))", file] : [file]
    case .alsa: ["-q", file]
    }
  }

  /// Whether this player can play a file. aplay plays a file that is not a WAVE file as raw
  /// samples, which is a loud noise.
  func plays(isWave: Bool) -> Bool {
    switch self {
    case .pipeWire, .pulseAudio: true
    case .alsa: isWave
    }
  }

  /// Whether the sound server or the device that this player needs seems to exist.
  var isConnected: Bool { !servers.isEmpty }

  /// All players, servers and devices. The value changes if a server is replaced by another one.
  static var surroundings: [String] { allCases.flatMap { [$0.path ?? ""] + $0.servers } }

  /// The settings, sockets and devices that lead to a sound server or a sound card.
  private var servers: [String] {
    let runtime = Self.values("XDG_RUNTIME_DIR")
    switch self {
    case .pipeWire:
      return Self.values("PIPEWIRE_REMOTE")
        + Self.found("pipewire-0", in: Self.values("PIPEWIRE_RUNTIME_DIR") + runtime)
    case .pulseAudio:
      // Without XDG_RUNTIME_DIR, PulseAudio makes a link to its socket's folder here.
      let links = runtime.isEmpty ? Self.values("HOME").map { "\($0)/.config/pulse" } : []
      let folders = links.flatMap { link in
        (FolderListing.names(in: link) ?? []).map { "\(link)/\($0)" }
      }
      return Self.values("PULSE_SERVER")
        + Self.found(
          "native",
          in: Self.values("PULSE_RUNTIME_PATH") + runtime.map { "\($0)/pulse" } + folders)
    case .alsa:
      // A playback device is `/dev/snd/pcmC0D0p`, for example.
      return (FolderListing.names(in: "/dev/snd") ?? []).sorted()
        .filter { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
        .flatMap { Self.found($0, in: ["/dev/snd"]) }
    }
  }

  /// Whether this player's library starts the sound server if it does not run. The attempt may
  /// fail.
  var canStartServer: Bool {
    switch self {
    case .pulseAudio: Self.path(of: "pulseaudio") != nil
    case .pipeWire, .alsa: false
    }
  }

  /// The installed players that can play a file. Players whose sound server cannot be found come
  /// last. They are tried too, because the server may exist all the same.
  static func inOrder(isWave: Bool) -> ArraySlice<Player> {
    let players = allCases.filter { $0.plays(isWave: isWave) && $0.path != nil }
    let likely = players.filter { $0.isConnected || $0.canStartServer }
    return (likely + players.filter { !likely.contains($0) })[...]
  }

  /// The path of the program; nil if no folder in PATH contains it.
  var path: String? { Self.path(of: program) }

  private static func path(of program: String) -> String? {
    try? ProgramFile(program, search: OwnEnvironment.value(of: "PATH")).path()
  }

  private static func values(_ variable: String) -> [String] {
    OwnEnvironment.value(of: variable).map { [$0] } ?? []
  }

  /// The files of this name that the user may use, each with its identity.
  private static func found(_ file: String, in folders: [String]) -> [String] {
    folders.compactMap { folder in
      let path = "\(folder)/\(file)"
      var status = stat()
      guard access(path, W_OK) == 0, stat(path, &status) == 0 else { return nil }
      return "\(path) \(status.st_ino) \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec)"
    }
  }
}
