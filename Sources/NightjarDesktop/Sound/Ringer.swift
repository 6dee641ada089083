internal import Glibc
internal import NightjarEngine
internal import NightjarModel
internal import NightjarService
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
    /// The ring of another machine's timer, by its number.
    case remote(key: Int)
    /// Several at once.
    case digest
    /// Nothing: somebody tries whether it works.
    case test
  }

  /// So many different sounds are played at a time; there is no more to be heard of others.
  private static let atOnce = 2
  /// So long, in microseconds, it may take: our own, which are known, and any other.
  private static let limitUsec: (builtIn: Int64, file: Int64) = (15_000_000, 60_000_000)
  /// A sound that is repeated begins again so much later, in microseconds, at the earliest; one that could
  /// not be played is tried again so much later.
  private static let restUsec: (played: Int64, failed: Int64) = (1_000_000, 5_000_000)
  /// The sound of a ring where nobody has chosen another.
  private static let chime = RingPlan.builtInSounds[0]

  private final class Playing {
    let sound: RingSound
    var process: PlayerProcess?
    /// Those that were not answered yet, and whether it is repeated until they are; none: it is to be heard
    /// no longer.
    var occasions: [Occasion: Bool]
    var loudness: Loudness
    /// When it was to be heard for the first time, on CLOCK_MONOTONIC.
    let sinceUsec: Int64
    /// When it was last begun, on CLOCK_MONOTONIC; nil: it waits for others to end.
    var begunUsec: Int64?
    /// When it is to be played again, on CLOCK_MONOTONIC; nil: it is being played.
    var nextUsec: Int64?
    var done: [(Outcome) -> Void]
    /// Why the chime is played in its place; nil: it is not.
    var refusal: String?

    init(
      _ sound: RingSound, for occasion: Occasion, repeats: Bool, _ loudness: Loudness,
      sinceUsec: Int64, _ done: @escaping (Outcome) -> Void
    ) {
      self.sound = sound
      self.loudness = loudness
      self.sinceUsec = sinceUsec
      occasions = [occasion: repeats]
      self.done = [done]
    }

    var repeats: Bool { occasions.values.contains(true) }
  }

  /// What a player is given.
  private enum Source {
    /// A file, with the sound as it is but for its gain.
    case file(String, gain: Double)
    /// A sound that is as loud as it should be.
    case written(WrittenSound)
  }

  private let loop: EventLoop
  private let onSilence: (_ reason: String) -> Void
  private var timer: TimerSource?
  private var playing: [Playing] = []
  /// Why the last sound was not heard; nil: it was, or there was none yet.
  private var lastFailure: String?
  /// One that has played a sound through something that is not to be seen.
  private var provenPlayer: Player?

  /// - Parameter onSilence: called when a sound was not heard, for another reason than the last.
  init(
    loop: EventLoop, onSilence: @escaping (_ reason: String) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.onSilence = onSilence
    timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  deinit { timer?.cancel() }

  /// Plays a sound. One that is heard already is not played once more.
  ///
  /// - Parameters:
  ///   - repeats: it is played until it is answered; it waits where other sounds are played.
  ///   - agoUsec: so long ago, in microseconds, it was begun by a process before this one.
  ///   - done: called once, in a later pass, when it was played once, unless all that it was played for is
  ///     answered before.
  func play(
    _ sound: RingSound, for occasion: Occasion, repeats: Bool = false, _ loudness: Loudness = .full,
    agoUsec: Int64 = 0, _ done: @escaping (Outcome) -> Void = { _ in }
  ) {
    guard sound != .none else { return loop.later { done(.failed("it is to be silent")) } }
    if let same = playing.first(where: { $0.sound == sound }) {
      same.occasions[occasion] = repeats || same.occasions[occasion] ?? false
      same.loudness = same.loudness.orLouder(loudness)
      same.done.append(done)
      return
    }
    guard repeats || begunCount < Self.atOnce else {
      return loop.later { done(.failed("other sounds are being played")) }
    }
    playing.append(
      Playing(
        sound, for: occasion, repeats: repeats, loudness,
        sinceUsec: loop.now.monotonicUsec - agoUsec, done))
    // Not within whatever is being delivered.
    loop.later { [weak self] in self?.beginWaiting() }
  }

  /// It was answered: what is played for nothing else is heard no longer.
  func hush(_ occasion: Occasion) {
    for one in playing where one.occasions.removeValue(forKey: occasion) != nil {
      guard one.occasions.isEmpty || one.nextUsec != nil && !one.repeats else { continue }
      // Its like can be played again before it has come to its end.
      remove(one)
      one.process?.stop()
    }
  }

  /// Nothing is heard any more: the daemon ends.
  func end() {
    let stopped = playing
    playing = []
    for one in stopped { one.process?.stop() }
  }

  /// Whether anything is heard now.
  var isPlaying: Bool { !playing.isEmpty }

  /// The program that would play a sound, or why none would.
  func outlook(for sound: RingSound) -> (player: String?, reason: String?) {
    if case .builtIn(let name) = sound, SoundFiles.path(of: name) == nil {
      return (nil, SoundFiles.absence(of: name))
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

  // MARK: When

  private var begunCount: Int { playing.count { $0.begunUsec != nil } }

  private func beginWaiting() {
    while begunCount < Self.atOnce, let next = playing.first(where: { $0.begunUsec == nil }) {
      begin(next)
    }
  }

  private func timePassed() {
    let now = loop.now.monotonicUsec
    for one in playing where one.nextUsec.map({ $0 <= now }) ?? false { begin(one) }
    arm()
  }

  private func arm() { timer?.arm(atUsec: playing.compactMap(\.nextUsec).min()) }

  private func remove(_ ended: Playing) {
    playing.removeAll { $0 === ended }
    arm()
    loop.later { [weak self] in self?.beginWaiting() }
  }

  // MARK: One sound

  private func begin(_ playing: Playing) {
    playing.begunUsec = loop.now.monotonicUsec
    playing.nextUsec = nil
    let path: String
    switch playing.sound {
    case .none: return end(playing, .failed("it is to be silent"))
    case .builtIn(Self.chime): return playChime(playing)
    case .builtIn(let name):
      guard let file = SoundFiles.path(of: name) else {
        return playChime(playing, because: SoundFiles.absence(of: name))
      }
      path = file
    case .file(let file): path = file
    }
    guard let isWave = Self.isWave(path) else {
      return playChime(playing, because: "\(path) cannot be read")
    }
    let players = Player.inOrder(isWave: isWave)
    let noPlayer = "aplay, the only program here that plays sounds, plays nothing but WAVE files"
    let source = source(of: path, for: playing)
    attempt(players, playing, source, failure: noPlayer) { [weak self] failure in
      self?.playChime(playing, because: "\(path) cannot be played: \(failure)")
    }
  }

  /// - Parameter refusal: why it is not the sound that was chosen.
  private func playChime(_ playing: Playing, because refusal: String? = nil) {
    guard let path = SoundFiles.path(of: Self.chime) else {
      let reasons = [refusal, SoundFiles.absence(of: Self.chime)].compactMap { $0 }
      return end(playing, .failed(reasons.joined(separator: "; ")), because: refusal)
    }
    let players = Player.inOrder(isWave: true)
    attempt(
      players, playing, source(of: path, for: playing), failure: Self.absence,
      limitUsec: Self.limitUsec.builtIn, because: refusal
    ) { [weak self] in self?.end(playing, .failed($0), because: refusal) }
  }

  /// A file as it is, where it is as loud as it should be; else its samples, if they can be read.
  private func source(of path: String, for playing: Playing) -> Source {
    let loudness = playing.loudness
    let afterUsec = loop.now.monotonicUsec - playing.sinceUsec
    let restUsec = loudness.risingUsec - afterUsec
    guard restUsec > 0 || loudness.gain < 1 else { return .file(path, gain: 1) }
    do throws(SystemError) {
      guard let wave = Wave(path: path) else { return .file(path, gain: loudness.gain) }
      return .written(
        try wave.written(loudness, afterUsec: afterUsec, forUsec: max(0, restUsec)))
    } catch {
      Log.write(.warning, "\(path) is played without rising: \(error)")
      return .file(path, gain: loudness.gain)
    }
  }

  /// Has the first of `players` play a sound, or the next that can.
  ///
  /// - Parameters:
  ///   - refusal: why it is the chime, and not the sound that was chosen.
  ///   - otherwise: called where none does, with why not the last, or with `failure` where there is none.
  private func attempt(
    _ players: ArraySlice<Player>, _ playing: Playing, _ source: Source, failure: String,
    limitUsec: Int64 = Ringer.limitUsec.file, because refusal: String? = nil,
    otherwise: @escaping (_ failure: String) -> Void
  ) {
    guard let player = players.first, let path = player.path else { return otherwise(failure) }
    func goOn(_ failure: String) {
      attempt(
        players.dropFirst(), playing, source, failure: failure, limitUsec: limitUsec,
        because: refusal, otherwise: otherwise)
    }
    let (arguments, input, usec): ([String], Int32?, Int64) =
      switch source {
      case .file(let file, let gain): (player.arguments(file, gain: gain), nil, 0)
      case .written(let sound):
        (player.arguments(WrittenSound.path), sound.descriptor, sound.usec)
      }
    do {
      let program = Program(
        path: path, arguments: [path] + arguments, environment: OwnEnvironment.assignments(),
        folder: "/")
      playing.process = try PlayerProcess(
        program, input: input, limitUsec: limitUsec + usec, on: loop
      ) { [weak self] result, said in
        playing.process = nil
        switch result {
        case .exited(0):
          if !player.isConnected { self?.provenPlayer = player }
          self?.end(playing, .played(player.program), because: refusal)
        // So much was heard of a long one.
        case .timedOut where limitUsec == Self.limitUsec.file:
          self?.end(playing, .played(player.program), because: refusal)
        case .timedOut: goOn("\(player.program) does not come to an end")
        case .stopped: break
        case .exited(let code):
          goOn("\(player.program) failed: \(said.isEmpty ? "exit code \(code)" : said)")
        case .killed(let signal): goOn("\(player.program) was killed by signal \(signal)")
        }
      }
    } catch { goOn("\(error)") }
  }

  /// It was played once, or could not be.
  private func end(_ ended: Playing, _ outcome: Outcome, because refusal: String? = nil) {
    let now = loop.now.monotonicUsec
    var failure: String?
    switch outcome {
    case .failed(let reason):
      failure = reason
      ended.nextUsec = now + Self.restUsec.failed
    case .played:
      ended.nextUsec = max(now, (ended.begunUsec ?? now) + Self.restUsec.played)
      if let refusal, refusal != ended.refusal {
        Log.write(.warning, "\(refusal); the chime was played in its place")
      }
    }
    ended.refusal = refusal
    if ended.repeats { arm() } else { remove(ended) }
    let isNews = failure != lastFailure
    lastFailure = failure
    if let failure, isNews { onSilence(failure) }
    let done = ended.done
    ended.done = []
    for done in done { done(outcome) }
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
