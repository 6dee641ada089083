internal import CLinux
internal import Glibc
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarVarlink

/// Keeps streams across restarts and crashes of the daemon. The service manager holds their
/// connections (systemd's descriptor store), and beside them a memory file that says of each how it
/// goes on: the call that a client would send to continue where it is.
///
/// The file has a slot for each stream: a state, a length, and the call. A slot is **in doubt**
/// while bytes are on their way: nobody can tell afterwards how much of them a process that was
/// killed in send(2) had sent. Such a connection ends with the process, and its client asks again
/// by number, so that in either case nothing is missed and nothing comes twice.
///
/// A daemon that ends in order also hands over streams of which something is still to be sent: the rest of
/// the reply of which the client has the beginning is in the file as well, behind the slots.
final class StreamKeeper {
  /// A stream of the last process, to be gone on with.
  struct Kept {
    /// The connection; the receiver owns it.
    let descriptor: Int32
    let slot: Int
    /// What is to be sent before anything else: the rest of a reply.
    let rest: [UInt8]
    /// The call to answer as if the client had just sent it.
    let call: [UInt8]
  }

  /// The layout's number is part of the name: another version's file is not taken for ours.
  private static let fileName = "streams-1"
  private static let connectionName = "stream-"
  private static let slotBytes = 2048
  private static let headerBytes = 8
  private static let fileBytes = slotBytes * Limits.keptStreams
  /// Behind the slots, so much for each one's rest: a length, and the bytes. The file has no more pages
  /// than are written.
  private static let restBytes = Limits.outputBytes

  private enum State: UInt32 {
    case free = 0
    case inDoubt = 1
    case settled = 2
    /// As settled, and there is a rest.
    case settledBehindRest = 3
  }

  private let file: Descriptor
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
    let isOld = old.first.map { Self.size(of: $0) >= Int64(Self.fileBytes) } ?? false
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
    self.file = Descriptor(owning: file)
    for descriptor in old where descriptor != file { close(descriptor) }
    recover(given)
    // The rests are in memory now.
    if isOld { ftruncate(file, off_t(Self.fileBytes)) }
  }

  deinit { munmap(memory, Self.fileBytes) }

  private static func size(of descriptor: Int32) -> Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
  }

  private func recover(_ given: [(name: String, descriptor: Int32)]) {
    for (name, descriptor) in given where name.hasPrefix(Self.connectionName) {
      guard let slot = Int(name.dropFirst(Self.connectionName.count)),
        (0..<Limits.keptStreams).contains(slot), !isTaken[slot], let call = settledCall(slot),
        let rest = rest(slot)
      else {
        // The client sees its end, and asks again.
        ServiceManager.unstore(name)
        close(descriptor)
        continue
      }
      isTaken[slot] = true
      kept.append(Kept(descriptor: descriptor, slot: slot, rest: rest, call: call))
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
    let states = [State.settled, .settledBehindRest].map(\.rawValue)
    guard states.contains(header(slot).pointee),
      (1...(Self.slotBytes - Self.headerBytes)).contains(length)
    else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: memory + slot * Self.slotBytes + Self.headerBytes, count: length)
    return Array(bytes)
  }

  private static func restPlace(_ slot: Int) -> off_t { off_t(fileBytes + slot * restBytes) }

  /// The rest of a reply that the last process has left; empty: there is none. Nil: it cannot be read.
  private func rest(_ slot: Int) -> [UInt8]? {
    guard header(slot).pointee == State.settledBehindRest.rawValue else { return [] }
    var length: UInt32 = 0
    let place = Self.restPlace(slot)
    guard pread(file.raw, &length, 4, place) == 4, length <= Self.restBytes - 4 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    return pread(file.raw, &bytes, bytes.count, place + 4) == bytes.count ? bytes : nil
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

  /// The process ends, and has sent of the last reply all but `rest`: what is behind that is not sent,
  /// and `call` goes on from there. What is too long for a slot leaves it in doubt.
  func leave(_ slot: Int, at position: Int64, rest: ArraySlice<UInt8>, call: () -> [UInt8]) {
    guard rest.count <= Self.restBytes - 4 else { return }
    let length = withUnsafeBytes(of: UInt32(rest.count)) { Array($0) }
    let bytes = length + rest
    guard pwrite(file.raw, bytes, bytes.count, Self.restPlace(slot)) == bytes.count else { return }
    settle(slot, at: position, call: call)
    if header(slot).pointee == State.settled.rawValue { publish(.settledBehindRest, slot) }
  }

  /// The stream is over.
  func release(_ slot: Int) {
    doubt(slot)
    isTaken[slot] = false
    ServiceManager.unstore("\(Self.connectionName)\(slot)")
    publish(.free, slot)
  }
}
