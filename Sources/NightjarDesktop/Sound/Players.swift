internal import Glibc
internal import NightjarConfig
internal import NightjarSystem
internal import NightjarTrust

/// The programs that can play a sound.
enum Player: CaseIterable {
  case pipeWire
  case pulseAudio
  case alsa

  /// The file name of the program.
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

  private static func exists(_ file: String, in variables: [String]) -> Bool {
    variables.compactMap { OwnEnvironment.value(of: $0) }.contains {
      access("\($0)/\(file)", F_OK) == 0
    }
  }

  /// Whether ALSA has a playback device (`/dev/snd/pcmC0D0p`) that this user may use.
  private static var hasSoundCard: Bool {
    (FolderListing.names(in: "/dev/snd") ?? []).contains { name in
      name.hasPrefix("pcm") && name.hasSuffix("p") && access("/dev/snd/\(name)", W_OK) == 0
    }
  }
}
