internal import Glibc
internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem

/// Plays sounds, a few at a time, with the player programs that are installed.
final class Ringer {
  enum Outcome: Equatable {
    /// The name of the program that played it.
    case played(String)
    /// The sound could not be played; the reason in one sentence.
    case failed(String)
  }

  enum Occasion: Hashable {
    case timer(slot: Int)
    /// The ring of another machine's timer, by its key.
    case remote(key: Int)
    /// Several rings in one popup.
    case digest
    /// The user's test of popups and sounds.
    case test
  }

  /// The most different sounds that are played at the same time. The user could not tell more
  /// sounds apart.
  private static let atOnce = 2
  /// How long the playing of a sound may take, in microseconds: a built-in sound, whose length is
  /// known, and any other sound.
  private static let limitUsec: (builtIn: Int64, file: Int64) = (15_000_000, 60_000_000)
  /// `played`: the shortest time, in microseconds, between two beginnings of a repeated sound.
  /// `failed`: the wait after a failure.
  private static let pauseUsec: (played: Int64, failed: Int64) = (1_000_000, 5_000_000)
  /// The default sound of a ring.
  private static let chime = RingPlan.builtInSounds[0]

  private final class Playing {
    let sound: RingSound
    var process: PlayerProcess?
    /// The occasions that were not answered yet. If there is none, the sound has to stop.
    private var occasions: Set<Occasion> = []
    /// Those until whose answer the sound is repeated.
    private var repeated: Set<Occasion> = []
    var loudness: Loudness
    /// When the sound first began or was due to begin, on CLOCK_MONOTONIC.
    let sinceUsec: Int64
    /// When the sound last began, on CLOCK_MONOTONIC; nil while it waits for other sounds to end.
    var begunUsec: Int64?
    /// When the sound is to be played again, on CLOCK_MONOTONIC; nil while it is playing.
    var nextUsec: Int64?
    var done: [(Outcome) -> Void]
    /// Why the chime is played instead of the chosen sound; nil: the chosen sound is played.
    var refusal: String?

    init(
      _ sound: RingSound, for occasion: Occasion, repeats: Bool, _ loudness: Loudness,
      sinceUsec: Int64, _ done: @escaping (Outcome) -> Void
    ) {
      self.sound = sound
      self.loudness = loudness
      self.sinceUsec = sinceUsec
      self.done = [done]
      add(occasion, repeats: repeats)
    }

    func add(_ occasion: Occasion, repeats: Bool) {
      occasions.insert(occasion)
      if repeats { repeated.insert(occasion) }
    }

    /// - Returns: false if the sound is not played for the occasion.
    func remove(_ occasion: Occasion) -> Bool {
      repeated.remove(occasion)
      return occasions.remove(occasion) != nil
    }

    var isWanted: Bool { !occasions.isEmpty }
    var repeats: Bool { !repeated.isEmpty }
    var repeatedCount: Int { repeated.count }
  }

  /// The input of a player.
  private enum Source {
    /// A sound file; the player applies the gain.
    case file(String, gain: Double)
    /// A sound in memory that already has the right loudness.
    case written(WrittenSound)
  }

  private let loop: EventLoop
  private let onSilence: (_ reason: String) -> Void
  private var timer: TimerSource?
  private var playing: [Playing] = []
  /// Why the last sound was not played; nil: it was played, or there was no sound yet.
  private var lastFailure: String?
  /// A player that has played a sound although its sound server could not be found; nil: there is
  /// none.
  private var provenPlayer: Player?
  private var surroundings: [String] = []

  /// - Parameter onSilence: called when a sound could not be played, unless the reason is the same
  ///   as the last.
  init(
    loop: EventLoop, onSilence: @escaping (_ reason: String) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.onSilence = onSilence
    timer = try loop.timer(on: .monotonic) { [unowned self] in timePassed() }
  }

  deinit { timer?.cancel() }

  /// Plays a sound. If the same sound is already playing, adds the occasions to it.
  ///
  /// - Parameters:
  ///   - repeats: whether the sound is repeated until its occasion is answered, unless this is done
  ///     for `Limits.ringsAtOnce` occasions already. Such a sound waits while too many other sounds
  ///     are played.
  ///   - agoUsec: how long ago a previous process began the sound, in microseconds.
  ///   - done: called once, in a later iteration, when the sound was played once. Not called if all
  ///     occasions of the sound are answered before that.
  func play(
    _ sound: RingSound, for occasion: Occasion, repeats: Bool = false, _ loudness: Loudness = .full,
    agoUsec: Int64 = 0, _ done: @escaping (Outcome) -> Void = { _ in }
  ) {
    guard sound != .none else { return loop.later { done(.failed("it is to be silent")) } }
    let repeats = repeats && playing.reduce(0) { $0 + $1.repeatedCount } < Limits.ringsAtOnce
    if let same = playing.first(where: { $0.sound == sound }) {
      same.add(occasion, repeats: repeats)
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
    // Start sounds in a later iteration, because the notifier may still be handling events.
    loop.later { [weak self] in self?.beginWaiting() }
  }

  /// Stops the sounds that are played only for an occasion that was answered.
  func silence(_ occasion: Occasion) {
    for one in playing where one.remove(occasion) {
      guard !one.isWanted || one.nextUsec != nil && !one.repeats else { continue }
      // Remove the sound first, so that it can be played again before its player has ended.
      remove(one)
      one.process?.stop()
    }
  }

  /// Stops all sounds, because the daemon exits.
  func end() {
    let stopped = playing
    playing = []
    for one in stopped { one.process?.stop() }
  }

  /// Whether any sound is playing or waiting.
  var isPlaying: Bool { !playing.isEmpty }

  /// The program that would play a sound, or the reason why none would.
  func playerStatus(for sound: RingSound) -> (player: String?, lack: RingCheck.Lack?) {
    if case .builtIn(let name) = sound, SoundFiles.path(of: name) == nil {
      return (nil, RingCheck.Lack(.missing, Sentence(SoundFiles.absence(of: name))))
    }
    look()
    let players = Player.allCases.filter { $0.path != nil }
    guard let player = players.first(where: { $0.isConnected || $0 == provenPlayer }) else {
      return (nil, RingCheck.Lack(.missing, Sentence(Self.absence)))
    }
    if let lastFailure {
      return (nil, RingCheck.Lack(.failing, "\(lastFailure), when it was last tried"))
    }
    return (player.program, nil)
  }

  /// Forgets the last failure if a sound server or a player was added or replaced since.
  private func look() {
    let now = Player.surroundings
    if surroundings != now { (surroundings, lastFailure) = (now, nil) }
  }

  private static var absence: String {
    if Player.allCases.allSatisfy({ $0.path == nil }) {
      return "no program plays sounds: pw-play, paplay and aplay are not in PATH"
    }
    let nothing = "no sound server and no sound card can be reached"
    let canStart = Player.allCases.contains { $0.path != nil && $0.canStartServer }
    return canStart ? "\(nothing), unless a ring can start PulseAudio" : nothing
  }

  // MARK: Schedule

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
    look()
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

  /// - Parameter refusal: why the chime is played instead of the chosen sound.
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

  /// The input for a player: the file itself, or its samples with the right loudness if the
  /// loudness has to change and the samples can be read.
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

  /// Plays a sound with the first of `players` that can.
  ///
  /// - Parameters:
  ///   - refusal: why the chime is played instead of the chosen sound.
  ///   - otherwise: called if none of the players can, with the last player's reason, or with
  ///     `failure` if there is no player.
  private func attempt(
    _ players: ArraySlice<Player>, _ playing: Playing, _ source: Source, failure: String,
    limitUsec: Int64 = Ringer.limitUsec.file, because refusal: String? = nil,
    otherwise: @escaping (_ failure: String) -> Void
  ) {
    guard let player = players.first, let path = player.path else { return otherwise(failure) }
    func tryNextPlayer(_ failure: String) {
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
        // A long sound that was played until the time limit counts as played.
        case .timedOut where limitUsec == Self.limitUsec.file:
          self?.end(playing, .played(player.program), because: refusal)
        case .timedOut: tryNextPlayer("\(player.program) does not come to an end")
        case .stopped: break
        case .exited(let code):
          tryNextPlayer("\(player.program) failed: \(said.isEmpty ? "exit code \(code)" : said)")
        case .killed(let signal): tryNextPlayer("\(player.program) was killed by signal \(signal)")
        }
      }
    } catch { tryNextPlayer("\(error)") }
  }

  /// Handles the end of a sound: it was played once, or could not be played.
  private func end(_ ended: Playing, _ outcome: Outcome, because refusal: String? = nil) {
    let now = loop.now.monotonicUsec
    var failure: String?
    switch outcome {
    case .failed(let reason):
      (failure, provenPlayer) = (reason, nil)
      ended.nextUsec = now + Self.pauseUsec.failed
    case .played:
      ended.nextUsec = max(now, (ended.begunUsec ?? now) + Self.pauseUsec.played)
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

  /// Whether a file is a WAVE file; nil if it cannot be read. Because of O_NONBLOCK, opening a FIFO
  /// does not block.
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
