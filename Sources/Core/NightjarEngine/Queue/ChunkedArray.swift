/// An array in chunks of 4,096 elements. The chunks are allocated one at a time and never move, so
/// the array can grow to millions of elements without copying them. Chunks that are not needed take
/// no memory.
///
/// This is not a collection. Elements are reached by index, and an element may be read only after
/// `reserve(_:)` has made its chunk. Every access is O(1).
struct ChunkedArray<Element: BitwiseCopyable>: ~Copyable {
  private var chunks: [UnsafeMutablePointer<Element>?] = []
  private let filler: Element?

  private static var shift: Int { 12 }
  private static var mask: Int { (1 << shift) - 1 }

  /// Makes an empty array. The elements of a new chunk are `filler`. Without a filler, they are
  /// undefined, and the kernel provides memory only for pages that are written.
  init(filler: Element? = nil) {
    self.filler = filler
  }

  deinit {
    for chunk in chunks { chunk?.deallocate() }
  }

  /// Makes sure that there is memory for `index`.
  @inline(__always)
  mutating func reserve(_ index: Int) {
    let chunk = index >> Self.shift
    if chunk < chunks.count, chunks[chunk] != nil { return }
    allocate(chunk)
  }

  private mutating func allocate(_ chunk: Int) {
    while chunks.count <= chunk { chunks.append(nil) }
    // Aligned to a cache line of the processor.
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Element>.stride << Self.shift, alignment: 64
    ).bindMemory(to: Element.self, capacity: 1 << Self.shift)
    if let filler { memory.initialize(repeating: filler, count: 1 << Self.shift) }
    chunks[chunk] = memory
  }

  /// Whether `reserve(_:)` has made the chunk of this index.
  @inline(__always)
  func isReserved(_ index: Int) -> Bool {
    let chunk = index >> Self.shift
    return chunk < chunks.count && chunks[chunk] != nil
  }

  /// The address of the element; valid as long as the array exists.
  @inline(__always)
  func pointer(_ index: Int) -> UnsafeMutablePointer<Element> {
    guard let chunk = chunks[index >> Self.shift] else {
      preconditionFailure("an element is reserved before it is used")
    }
    return chunk + (index & Self.mask)
  }

  subscript(index: Int) -> Element {
    @inline(__always) get { pointer(index).pointee }
    @inline(__always) nonmutating set { pointer(index).pointee = newValue }
  }
}
