internal import Glibc
internal import NightjarConfig
internal import NightjarSystem
internal import NightjarTrust

/// The programs that play a sound, and what they play it through.
enum Player: CaseIterable {
  case pipeWire
  case pulseAudio
  case alsa

  /// What it is called.
  var program: String {
    switch self {
    case .pipeWire: "pw-play"
    case .pulseAudio: "paplay"
    case .alsa: "aplay"
    }
  }

  /// Behind its path.
  ///
  /// - Parameter gain: by which samples are to be multiplied, up to 1; aplay cannot.
  func arguments(_ file: String, gain: Double = 1) -> [String] {
    switch self {
    case .pipeWire: gain < 1 ? ["--volume=\(gain)", file] : [file]
    // Its scale is the cube root of that (pa_sw_volume_from_linear).
    case .pulseAudio: gain < 1 ? ["--volume=\(Int(cbrt(gain) * 65536))", file] : [file]
    case .alsa: ["-q", file]
    }
  }

  /// Whether it can make something of a file; what is no WAVE file aplay takes for samples, which
  /// is a noise nobody forgets.
  func plays(isWave: Bool) -> Bool {
    switch self {
    case .pipeWire, .pulseAudio: true
    case .alsa: isWave
    }
  }

  /// Whether what it plays through seems to be there.
  var isConnected: Bool {
    switch self {
    case .pipeWire:
      OwnEnvironment.value(of: "PIPEWIRE_REMOTE") != nil
        || Self.exists("pipewire-0", in: ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"])
    case .pulseAudio:
      OwnEnvironment.value(of: "PULSE_SERVER") != nil
        || Self.exists("native", in: ["PULSE_RUNTIME_PATH"])
        || Self.exists("pulse/native", in: ["XDG_RUNTIME_DIR"])
    case .alsa: Self.hasSoundCard
    }
  }

  /// Whether its library starts a server where there is none: it tries, and that may come to nothing.
  var canStartServer: Bool {
    switch self {
    case .pulseAudio: Self.path(of: "pulseaudio") != nil
    case .pipeWire, .alsa: false
    }
  }

  /// Those that are there and can make something of a file. Those whose server is not to be seen come
  /// last: nobody can see all of them.
  static func inOrder(isWave: Bool) -> ArraySlice<Player> {
    let players = allCases.filter { $0.plays(isWave: isWave) && $0.path != nil }
    let likely = players.filter { $0.isConnected || $0.canStartServer }
    return (likely + players.filter { !likely.contains($0) })[...]
  }

  /// Where it is; nil: not in PATH.
  var path: String? { Self.path(of: program) }

  private static func path(of program: String) -> String? {
    try? ProgramFile(program, search: OwnEnvironment.value(of: "PATH")).path()
  }

  private static func exists(_ file: String, in variables: [String]) -> Bool {
    variables.compactMap { OwnEnvironment.value(of: $0) }.contains {
      access("\($0)/\(file)", F_OK) == 0
    }
  }

  /// Whether ALSA has a device that plays (`/dev/snd/pcmC0D0p`) and that we may use.
  private static var hasSoundCard: Bool {
    (FolderListing.names(in: "/dev/snd") ?? []).contains { name in
      name.hasPrefix("pcm") && name.hasSuffix("p") && access("/dev/snd/\(name)", W_OK) == 0
    }
  }
}
