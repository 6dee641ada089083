/// Clients that ask for as much as they can, or break the protocol. The thread that measures an
/// innocent client beside them also drives them. It does so in short steps, so that the time of
/// their work is not counted as the daemon's.
protocol HostileClient: AnyObject {
  /// Connects to the daemon at `path`.
  init(path: String)
  /// Does a little: a few system calls.
  ///
  /// - Returns: false if the daemon has to do something first, or if the client has finished.
  func step() -> Bool
  /// How many times the client has done its hostile action.
  var count: Int { get }
}

/// The hostile clients that are measured.
enum HostileKind: String, CaseIterable {
  case watchers, pipeline, bytes, connections, frames, malformed, lists, events

  var title: String {
    switch self {
    case .watchers: "200 that watch a timer change and never read"
    case .pipeline: "one that pipelines calls and never reads"
    case .bytes: "50 that send one byte at a time"
    case .connections: "one that connects and hangs up"
    case .frames: "4 that send messages of 128 KiB"
    case .malformed: "one that sends broken JSON"
    case .lists: "20 that list 10,000 timers with more"
    case .events: "4 that read 20,000 events again and again"
    }
  }

  /// What runs beside the innocent client when it is measured without hostile clients. For
  /// `watchers`, the timer changes then too, but no client watches it. Nil: nothing runs.
  func baseline(path: String) -> (any HostileClient)? {
    self == .watchers ? SilentWatchers(path: path, watchers: 0) : nil
  }

  func clients(path: String) -> any HostileClient {
    switch self {
    case .watchers: SilentWatchers(path: path)
    case .pipeline: SilentPipeline(path: path)
    case .bytes: ByteSenders(path: path)
    case .connections: ConnectionStorm(path: path)
    case .frames: HugeFrames(path: path)
    case .malformed: BrokenFrames(path: path)
    case .lists: Readers(path: path, .lists)
    case .events: Readers(path: path, .events)
    }
  }
}
