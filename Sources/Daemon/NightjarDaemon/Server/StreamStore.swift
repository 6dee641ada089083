internal import CLinux
internal import Glibc
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Preserves streams across restarts and crashes of the daemon. The service manager holds their
/// connections (systemd's file descriptor store) and a memory file. For each connection the file
/// contains the call that a client would send to continue its stream at the same place.
///
/// The file has a slot for each stream: a state, a length, and the call. A slot is **in doubt**
/// while the daemon sends bytes. If the process is killed in send(2), the next process cannot find
/// out how many bytes were sent. The next process closes such a connection, and the client asks
/// again by event number. So a client never misses an event and never gets one twice.
///
/// A daemon that exits normally also hands over streams whose output is not completely sent. If the
/// client has received only the beginning of a reply, the rest of that reply is in the file too, in
/// an area after all slots.
final class StreamStore {
  /// A stream of the previous process that this process continues.
  struct InheritedStream {
    /// The connection; the code that continues the stream owns it.
    let descriptor: Int32
    let slot: Int
    /// The rest of a reply of which the client has received the beginning. The next process sends
    /// it before anything else.
    let rest: [UInt8]
    /// The call to answer as if the client had just sent it.
    let call: [UInt8]
  }

  /// The name of the memory file. It contains the version of the layout, so that a daemon ignores a
  /// file with another layout.
  private static let fileName = "streams-1"
  private static let connectionName = "stream-"
  private static let slotBytes = 2048
  private static let headerBytes = 8
  private static let fileBytes = slotBytes * Limits.preservedStreams
  /// The size of a slot's area for the rest of a reply: a length and the bytes. These areas follow
  /// all slots. The file is sparse: pages that were never written take no memory.
  private static let restBytes = Limits.outputBytes

  private enum State: UInt32 {
    case free = 0
    case inDoubt = 1
    case settled = 2
    /// Like `settled`; in addition, the file has the rest of a reply for this slot.
    case settledBehindRest = 3
  }

  private let file: Descriptor
  private let memory: UnsafeMutableRawPointer
  /// For each slot, the event number up to which the client has received its stream; nil: the slot
  /// is in doubt or free.
  private var positions = [Int64?](repeating: nil, count: Limits.preservedStreams)
  private var isTaken = [Bool](repeating: false, count: Limits.preservedStreams)
  /// The streams that the previous process left.
  private(set) var inherited: [InheritedStream] = []

  /// Takes over the descriptors that the service manager held. It recognizes them by their names,
  /// and ignores other descriptors.
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
    // Remove the rests of replies that the previous process left: `recover` has copied them.
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
        (0..<Limits.preservedStreams).contains(slot), !isTaken[slot], let call = settledCall(slot),
        let rest = rest(slot)
      else {
        // The client sees the end of its connection and asks again.
        ServiceManager.unstore(name)
        close(descriptor)
        continue
      }
      isTaken[slot] = true
      inherited.append(InheritedStream(descriptor: descriptor, slot: slot, rest: rest, call: call))
    }
  }

  /// Forgets the recovered streams. The server owns their connections now.
  func forgetInherited() { inherited = [] }

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

  /// The rest of a reply that the previous process left; empty if there is none, nil if it cannot
  /// be read.
  private func rest(_ slot: Int) -> [UInt8]? {
    guard header(slot).pointee == State.settledBehindRest.rawValue else { return [] }
    var length: UInt32 = 0
    let place = Self.restPlace(slot)
    guard pread(file.raw, &length, 4, place) == 4, length <= Self.restBytes - 4 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    return pread(file.raw, &bytes, bytes.count, place + 4) == bytes.count ? bytes : nil
  }

  /// Takes a free slot for the stream of a connection, and gives the connection to the service
  /// manager. Returns nil if all slots are taken.
  func take(_ descriptor: Int32) -> Int? {
    guard let slot = isTaken.firstIndex(of: false) else { return nil }
    isTaken[slot] = true
    // The slot may contain the call of an earlier stream, which must not be used for this stream.
    publish(.inDoubt, slot)
    ServiceManager.store(descriptor, as: "\(Self.connectionName)\(slot)")
    return slot
  }

  /// Marks a slot as in doubt, because bytes of its stream are about to be sent.
  func markInDoubt(_ slot: Int) {
    positions[slot] = nil
    publish(.inDoubt, slot)
  }

  /// Records that the client has received everything up to event number `position`, and that `call`
  /// continues after that. If the call is too long for the slot, the slot stays in doubt.
  func settle(_ slot: Int, at position: Int64, call: () -> [UInt8]) {
    guard positions[slot] != position else { return }
    markInDoubt(slot)
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

  /// Records at exit that the client has received everything but `rest`, the end of its last reply.
  /// This process sends no more; the next process sends `rest` and then answers `call`. If `rest`
  /// or the call is too long, the slot stays in doubt.
  func handOver(_ slot: Int, at position: Int64, rest: ArraySlice<UInt8>, call: () -> [UInt8]) {
    guard rest.count <= Self.restBytes - 4 else { return }
    let length = withUnsafeBytes(of: UInt32(rest.count)) { Array($0) }
    let bytes = length + rest
    guard pwrite(file.raw, bytes, bytes.count, Self.restPlace(slot)) == bytes.count else { return }
    settle(slot, at: position, call: call)
    if header(slot).pointee == State.settled.rawValue { publish(.settledBehindRest, slot) }
  }

  /// Frees the slot of a stream that has ended.
  func release(_ slot: Int) {
    markInDoubt(slot)
    isTaken[slot] = false
    ServiceManager.unstore("\(Self.connectionName)\(slot)")
    publish(.free, slot)
  }
}
