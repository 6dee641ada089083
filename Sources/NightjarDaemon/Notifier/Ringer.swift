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

  /// So many different sounds are played at a time; there is no more to be heard of others.
  private static let atOnce = 2
  /// So long, in microseconds, it may take: our own, which is known, and any other.
  private static let limitUsec: (chime: Int64, file: Int64) = (15_000_000, 60_000_000)

  private final class Playing {
    let sound: RingSound
    var process: PlayerProcess?
    var done: [(Outcome) -> Void]

    init(_ sound: RingSound, _ done: @escaping (Outcome) -> Void) {
      self.sound = sound
      self.done = [done]
    }
  }

  /// A sound was not heard, for another reason than the last.
  var onSilence: (_ reason: String) -> Void = { _ in }

  private let loop: EventLoop
  private var playing: [Playing] = []
  private var chime: ChimeFile?
  /// Why the last sound was not heard; nil: it was, or there was none yet.
  private var lastFailure: String?
  /// One that has played a sound through something that is not to be seen.
  private var provenPlayer: Player?

  init(loop: EventLoop) { self.loop = loop }

  /// Plays a sound. One that is heard already is not played once more.
  ///
  /// - Parameter done: called once, in a later pass.
  func play(_ sound: RingSound, _ done: @escaping (Outcome) -> Void = { _ in }) {
    guard sound != .none else { return loop.later { done(.failed("it is to be silent")) } }
    if let same = playing.first(where: { $0.sound == sound }) {
      same.done.append(done)
      return
    }
    guard playing.count < Self.atOnce else {
      return loop.later { done(.failed("other sounds are being played")) }
    }
    let new = Playing(sound, done)
    playing.append(new)
    // Not within whatever is being delivered.
    loop.later { [weak self] in self?.begin(new) }
  }

  /// Whether anything is heard now.
  var isPlaying: Bool { !playing.isEmpty }

  /// The program that would play a sound, or why none would.
  var outlook: (player: String?, reason: String?) {
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
    return "no sound server and no sound card can be reached"
  }

  // MARK: One sound

  private func begin(_ playing: Playing) {
    var (file, isWave, lent): (String, Bool, Int32?) = ("", true, nil)
    if case .file(let path) = playing.sound, let wave = Self.isWave(path) {
      (file, isWave) = (path, wave)
    } else {
      if case .file(let path) = playing.sound {
        Log.write(.warning, "\(path) cannot be read, and the chime is played in its place")
      }
      do {
        let chime = try self.chime ?? ChimeFile()
        self.chime = chime
        (file, lent) = ("/proc/self/fd/\(Program.lentDescriptor)", chime.descriptor.raw)
      } catch { return end(playing, .failed("\(error)")) }
    }
    // Those whose server is not to be seen come last: nobody can see all of them.
    let players = Player.allCases.filter { $0.plays(isWave: isWave) && $0.path != nil }
    let order = players.filter(\.isConnected) + players.filter { !$0.isConnected }
    let noPlayer =
      players.isEmpty && !isWave && Player.alsa.path != nil
      ? "aplay, the only program here that plays sounds, plays nothing but WAVE files"
      : Self.absence
    attempt(order[...], playing, file: file, lent: lent, failure: noPlayer)
  }

  private func attempt(
    _ players: ArraySlice<Player>, _ playing: Playing, file: String, lent: Int32?, failure: String
  ) {
    guard let player = players.first, let path = player.path else {
      return end(playing, .failed(failure))
    }
    func goOn(_ failure: String) {
      attempt(players.dropFirst(), playing, file: file, lent: lent, failure: failure)
    }
    let limitUsec = lent == nil ? Self.limitUsec.file : Self.limitUsec.chime
    do {
      let program = Program(
        path: path, arguments: [path] + player.arguments(file),
        environment: OwnEnvironment.assignments(), folder: "/")
      playing.process = try PlayerProcess(
        program, lending: lent, limitUsec: limitUsec, on: loop
      ) { [weak self] result, said in
        playing.process = nil
        switch result {
        case .exited(0):
          if !player.isConnected { self?.provenPlayer = player }
          self?.end(playing, .played(player.program))
        // So much was heard of a long one.
        case .timedOut where lent == nil: self?.end(playing, .played(player.program))
        case .timedOut: goOn("\(player.program) does not come to an end")
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
    if case .failed(let reason) = outcome { failure = reason }
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
