internal import CLinux
internal import Glibc
internal import NightjarMethods
internal import NightjarSystem
internal import NightjarWire

/// Keeps streams across restarts and crashes of the daemon. The service manager holds their
/// connections (systemd's descriptor store), and beside them a memory file that says of each how it
/// goes on: the call that a client would send to continue where it is.
///
/// The file has a slot for each stream: a state, a length, and the call. A slot is **in doubt**
/// while bytes are on their way: nobody can tell afterwards how much of them a process that was
/// killed in send(2) had sent. Such a connection ends with the process, and its client asks again
/// by number, so that in either case nothing is missed and nothing comes twice.
final class StreamKeeper {
  /// A stream of the last process, to be gone on with.
  struct Kept {
    /// The connection; the receiver owns it.
    let descriptor: Int32
    let slot: Int
    /// The call to answer as if the client had just sent it.
    let call: [UInt8]
  }

  /// The layout's number is part of the name: another version's file is not taken for ours.
  private static let fileName = "streams-1"
  private static let connectionName = "stream-"
  private static let slotBytes = 2048
  private static let headerBytes = 8
  private static let fileBytes = slotBytes * Limits.keptStreams

  private enum State: UInt32 {
    case free = 0
    case inDoubt = 1
    case settled = 2
  }

  private let memory: UnsafeMutableRawPointer
  /// The position each slot was settled at.
  private var positions = [Int64?](repeating: nil, count: Limits.keptStreams)
  private var isTaken = [Bool](repeating: false, count: Limits.keptStreams)
  /// What the last process left.
  private(set) var kept: [Kept] = []

  /// Takes over what the manager held: descriptors by name, of which others than ours are left
  /// alone.
  init(_ given: [(name: String, descriptor: Int32)]) throws(SystemError) {
    let old = given.filter { $0.name == Self.fileName }.map(\.descriptor)
    let isOld = old.first.map { Self.size(of: $0) == Int64(Self.fileBytes) } ?? false
    let file: Int32
    if isOld, let first = old.first {
      file = first
    } else {
      file = nj_memfd("nightjar-streams", Int64(Self.fileBytes))
      guard file >= 0 else { throw SystemError(operation: "memfd_create", code: -file) }
      ServiceManager.unstore(Self.fileName)
      ServiceManager.store(file, as: Self.fileName)
    }
    let mapped = mmap(nil, Self.fileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard mapped != MAP_FAILED, let mapped else {
      throw SystemError(operation: "mmap", code: errno)
    }
    memory = mapped
    close(file)
    for descriptor in old where descriptor != file { close(descriptor) }
    recover(given)
  }

  deinit { munmap(memory, Self.fileBytes) }

  private static func size(of descriptor: Int32) -> Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
  }

  private func recover(_ given: [(name: String, descriptor: Int32)]) {
    for (name, descriptor) in given where name.hasPrefix(Self.connectionName) {
      guard let slot = Int(name.dropFirst(Self.connectionName.count)),
        (0..<Limits.keptStreams).contains(slot), !isTaken[slot], let call = settledCall(slot)
      else {
        // The client sees its end, and asks again.
        ServiceManager.unstore(name)
        close(descriptor)
        continue
      }
      isTaken[slot] = true
      kept.append(Kept(descriptor: descriptor, slot: slot, call: call))
    }
  }

  /// What the last process left is in other hands now.
  func forgetKept() { kept = [] }

  // MARK: Slots

  private func header(_ slot: Int) -> UnsafeMutablePointer<UInt32> {
    (memory + slot * Self.slotBytes).assumingMemoryBound(to: UInt32.self)
  }

  private func publish(_ state: State, _ slot: Int) {
    if header(slot).pointee != state.rawValue { nj_publish(header(slot), state.rawValue) }
  }

  private func settledCall(_ slot: Int) -> [UInt8]? {
    let length = Int(header(slot)[1])
    guard header(slot).pointee == State.settled.rawValue,
      (1...(Self.slotBytes - Self.headerBytes)).contains(length)
    else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: memory + slot * Self.slotBytes + Self.headerBytes, count: length)
    return Array(bytes)
  }

  /// A slot for the stream of a connection, which the manager holds from now on; nil if all are
  /// taken.
  func take(_ descriptor: Int32) -> Int? {
    guard let slot = isTaken.firstIndex(of: false) else { return nil }
    isTaken[slot] = true
    // What another stream has left there must not be taken for this one's.
    publish(.inDoubt, slot)
    ServiceManager.store(descriptor, as: "\(Self.connectionName)\(slot)")
    return slot
  }

  /// Bytes of the stream are on their way.
  func doubt(_ slot: Int) {
    positions[slot] = nil
    publish(.inDoubt, slot)
  }

  /// All that the stream has written up to `position` has been sent; `call` goes on from there. A
  /// call that is too long for a slot leaves it in doubt.
  func settle(_ slot: Int, at position: Int64, call: () -> [UInt8]) {
    guard positions[slot] != position else { return }
    doubt(slot)
    let call = call()
    guard call.count <= Self.slotBytes - Self.headerBytes else { return }
    call.withUnsafeBytes {
      (memory + slot * Self.slotBytes + Self.headerBytes).copyMemory(
        from: $0.baseAddress!, byteCount: call.count)
    }
    header(slot)[1] = UInt32(call.count)
    publish(.settled, slot)
    positions[slot] = position
  }

  /// The stream is over.
  func release(_ slot: Int) {
    doubt(slot)
    isTaken[slot] = false
    ServiceManager.unstore("\(Self.connectionName)\(slot)")
    publish(.free, slot)
  }
}
