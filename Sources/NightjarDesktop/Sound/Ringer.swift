internal import Glibc
internal import NightjarSystem

/// Has sounds played by whatever program there is for it, beside the loop, a few at a time.
final class Ringer {
  /// What became of a sound.
  enum Outcome: Equatable {
    /// By this program.
    case played(String)
    /// One sentence.
    case failed(String)
  }

  /// What a sound is played for.
  enum Occasion: Hashable {
    /// The ring of the timer in this slot.
    case timer(slot: Int)
    /// Several at once.
    case digest
    /// Nothing: somebody tries whether it works.
    case test
  }

  /// So many different sounds are played at a time; there is no more to be heard of others.
  private static let atOnce = 2
  /// So long, in microseconds, it may take: our own, which is known, and any other.
  private static let limitUsec: (chime: Int64, file: Int64) = (15_000_000, 60_000_000)
  /// The sound of a ring where nobody has chosen another.
  private static let chime = "chime"

  private final class Playing {
    let sound: RingSound
    var process: PlayerProcess?
    /// Those that were not answered yet; none: it is to be heard no longer.
    var occasions: Set<Occasion>
    var done: [(Outcome) -> Void]
    /// Why the chime is played in its place; nil: it is not.
    var refusal: String?

    init(_ sound: RingSound, _ occasion: Occasion, _ done: @escaping (Outcome) -> Void) {
      self.sound = sound
      occasions = [occasion]
      self.done = [done]
    }
  }

  private let loop: EventLoop
  private let onSilence: (_ reason: String) -> Void
  private var playing: [Playing] = []
  /// Why the last sound was not heard; nil: it was, or there was none yet.
  private var lastFailure: String?
  /// One that has played a sound through something that is not to be seen.
  private var provenPlayer: Player?

  /// - Parameter onSilence: called when a sound was not heard, for another reason than the last.
  init(loop: EventLoop, onSilence: @escaping (_ reason: String) -> Void) {
    self.loop = loop
    self.onSilence = onSilence
  }

  /// Plays a sound. One that is heard already is not played once more.
  ///
  /// - Parameter done: called once, in a later pass, unless all that it was played for is answered
  ///   before.
  func play(
    _ sound: RingSound, for occasion: Occasion, _ done: @escaping (Outcome) -> Void = { _ in }
  ) {
    guard sound != .none else { return loop.later { done(.failed("it is to be silent")) } }
    if let same = playing.first(where: { $0.sound == sound }) {
      same.occasions.insert(occasion)
      same.done.append(done)
      return
    }
    guard playing.count < Self.atOnce else {
      return loop.later { done(.failed("other sounds are being played")) }
    }
    let new = Playing(sound, occasion, done)
    playing.append(new)
    // Not within whatever is being delivered.
    loop.later { [weak self] in self?.begin(new) }
  }

  /// It was answered: what is played for nothing else is heard no longer.
  func hush(_ occasion: Occasion) {
    for one in playing where one.occasions.remove(occasion) != nil && one.occasions.isEmpty {
      // Its like can be played again before it has come to its end.
      playing.removeAll { $0 === one }
      one.process?.stop()
    }
  }

  /// Whether anything is heard now.
  var isPlaying: Bool { !playing.isEmpty }

  /// The program that would play a sound, or why none would.
  func outlook(for sound: RingSound) -> (player: String?, reason: String?) {
    if sound == .chime, SoundFiles.path(of: Self.chime) == nil {
      return (nil, SoundFiles.absence(of: Self.chime))
    }
    let players = Player.allCases.filter { $0.path != nil }
    guard let player = players.first(where: { $0.isConnected || $0 == provenPlayer }) else {
      return (nil, Self.absence)
    }
    if let lastFailure { return (nil, "\(lastFailure), when it was last tried") }
    return (player.program, nil)
  }

  private static var absence: String {
    if Player.allCases.allSatisfy({ $0.path == nil }) {
      return "no program plays sounds: pw-play, paplay and aplay are not in PATH"
    }
    let nothing = "no sound server and no sound card can be reached"
    let canStart = Player.allCases.contains { $0.path != nil && $0.canStartServer }
    return canStart ? "\(nothing), unless a ring can start PulseAudio" : nothing
  }

  // MARK: One sound

  private func begin(_ playing: Playing) {
    guard !playing.occasions.isEmpty else { return }
    guard case .file(let path) = playing.sound else { return playChime(playing) }
    guard let isWave = Self.isWave(path) else {
      return playChime(playing, because: "\(path) cannot be read")
    }
    let players = Player.inOrder(isWave: isWave)
    let noPlayer = "aplay, the only program here that plays sounds, plays nothing but WAVE files"
    attempt(players, playing, file: path, failure: noPlayer) { [weak self] failure in
      self?.playChime(playing, because: "\(path) cannot be played: \(failure)")
    }
  }

  /// - Parameter refusal: why it is not the sound that was chosen.
  private func playChime(_ playing: Playing, because refusal: String? = nil) {
    playing.refusal = refusal
    guard let path = SoundFiles.path(of: Self.chime) else {
      let reasons = [refusal, SoundFiles.absence(of: Self.chime)].compactMap { $0 }
      return end(playing, .failed(reasons.joined(separator: "; ")))
    }
    let players = Player.inOrder(isWave: true)
    attempt(players, playing, file: path, failure: Self.absence, limitUsec: Self.limitUsec.chime) {
      [weak self] in self?.end(playing, .failed($0))
    }
  }

  /// Has the first of `players` play a file, or the next that can.
  ///
  /// - Parameter otherwise: called where none does, with why not the last, or with `failure` where
  ///   there is none.
  private func attempt(
    _ players: ArraySlice<Player>, _ playing: Playing, file: String, failure: String,
    limitUsec: Int64 = Ringer.limitUsec.file, otherwise: @escaping (_ failure: String) -> Void
  ) {
    guard let player = players.first, let path = player.path else { return otherwise(failure) }
    func goOn(_ failure: String) {
      attempt(
        players.dropFirst(), playing, file: file, failure: failure, limitUsec: limitUsec,
        otherwise: otherwise)
    }
    do {
      let program = Program(
        path: path, arguments: [path] + player.arguments(file),
        environment: OwnEnvironment.assignments(), folder: "/")
      playing.process = try PlayerProcess(program, limitUsec: limitUsec, on: loop) {
        [weak self] result, said in
        playing.process = nil
        switch result {
        case .exited(0):
          if !player.isConnected { self?.provenPlayer = player }
          self?.end(playing, .played(player.program))
        // So much was heard of a long one.
        case .timedOut where limitUsec == Self.limitUsec.file:
          self?.end(playing, .played(player.program))
        case .timedOut: goOn("\(player.program) does not come to an end")
        case .stopped: break
        case .exited(let code):
          goOn("\(player.program) failed: \(said.isEmpty ? "exit code \(code)" : said)")
        case .killed(let signal): goOn("\(player.program) was killed by signal \(signal)")
        }
      }
    } catch { goOn("\(error)") }
  }

  private func end(_ ended: Playing, _ outcome: Outcome) {
    playing.removeAll { $0 === ended }
    var failure: String?
    switch outcome {
    case .failed(let reason): failure = reason
    case .played:
      if let refusal = ended.refusal {
        Log.write(.warning, "\(refusal); the chime was played in its place")
      }
    }
    let isNews = failure != lastFailure
    lastFailure = failure
    if let failure, isNews { onSilence(failure) }
    for done in ended.done { done(outcome) }
  }

  /// Whether a file is a WAVE file; nil if it cannot be read. A pipe keeps nobody waiting.
  private static func isWave(_ path: String) -> Bool? {
    let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    var status = stat()
    guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var head = [UInt8](repeating: 0, count: 12)
    let count = read(file.raw, &head, head.count)
    return count == 12 && head[..<4].elementsEqual("RIFF".utf8)
      && head[8...].elementsEqual("WAVE".utf8)
  }
}
