/// Clients that ask for all timers or all events again and again, and read the replies as fast as
/// they can.
final class Readers: HostileClient {
  enum Subject {
    case lists, events

    var clients: Int { self == .lists ? 20 : 4 }
    var call: [UInt8] {
      switch self {
      case .lists: frame("List", more: true)
      case .events: frame("Events", #"{"after":0}"#, more: true)
      }
    }
    /// The number of replies after which a client asks again. A stream of events does not end after
    /// them: it waits for later events.
    var replies: Int {
      switch self {
      case .lists: Hostile.timers + 1
      case .events: Hostile.events
      }
    }
  }

  /// One client, and how many replies it has read.
  private struct Reader {
    var socket: HostileSocket
    var replies = 0
  }

  private let path: String
  private let subject: Subject
  private let call: [UInt8]
  private var readers: [Reader] = []
  private var next = 0
  private let scratch = Scratch()
  private(set) var count = 0

  convenience init(path: String) { self.init(path: path, .lists) }

  init(path: String, _ subject: Subject) {
    self.path = path
    self.subject = subject
    call = subject.call
    readers = (0..<subject.clients).map { _ in Reader(socket: HostileSocket.awaited(path: path)) }
    for reader in readers { ask(reader.socket) }
  }

  private func ask(_ socket: HostileSocket) {
    guard socket.send(call[...]) == .moved(call.count) else { fail("a reader cannot call") }
  }

  func step() -> Bool {
    next = (next + 1) % readers.count
    switch readers[next].socket.receive(into: scratch.bytes) {
    case .moved(let received):
      readers[next].replies += scratch.frames(in: received)
      guard readers[next].replies >= subject.replies else { return true }
      count += 1
      begin(next)
      return true
    case .blocked: return false
    case .closed: fail("the daemon has closed a connection that broke no rule")
    }
  }

  private func begin(_ index: Int) {
    readers[index].replies = 0
    if subject == .events {
      guard let socket = HostileSocket(path: path) else { return }
      readers[index].socket = socket
    }
    ask(readers[index].socket)
  }
}
