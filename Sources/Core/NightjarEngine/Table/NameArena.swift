/// Memory for the bytes of names, in blocks whose sizes are multiples of eight bytes. A released
/// block is used again for a name of the same size. Blocks never move.
struct NameArena: ~Copyable {
  private static let slabBytes = 64 * 1024
  private static let none = UInt32.max

  private var slabs: [UnsafeMutableRawPointer] = []
  /// How many bytes of the last slab are used.
  private var used = NameArena.slabBytes
  /// The first free block of each size, by size in units of eight bytes. A free block contains the
  /// offset of the next free block of its size.
  private var free = [UInt32](repeating: NameArena.none, count: 33)

  init() {}

  deinit {
    for slab in slabs { slab.deallocate() }
  }

  /// Copies `bytes` (1 to 255 of them). Returns the block's offset in units of eight bytes.
  mutating func store(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let block = take(units: (bytes.count + 7) >> 3)
    pointer(block).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    return block
  }

  /// Releases a block that holds `count` bytes.
  mutating func release(_ block: UInt32, count: Int) {
    let units = (count + 7) >> 3
    pointer(block).storeBytes(of: free[units], as: UInt32.self)
    free[units] = block
  }

  /// The bytes of a block; valid until it is released.
  @inline(__always)
  func bytes(_ block: UInt32, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer(block), count: count)
  }

  @inline(__always)
  private func pointer(_ block: UInt32) -> UnsafeMutableRawPointer {
    let offset = Int(block) << 3
    return slabs[offset / Self.slabBytes] + offset % Self.slabBytes
  }

  private mutating func take(units: Int) -> UInt32 {
    let head = free[units]
    if head != Self.none {
      free[units] = pointer(head).load(as: UInt32.self)
      return head
    }
    if used + units << 3 > Self.slabBytes {
      slabs.append(.allocate(byteCount: Self.slabBytes, alignment: 8))
      used = 0
    }
    let offset = (slabs.count - 1) * Self.slabBytes + used
    used += units << 3
    return UInt32(offset >> 3)
  }
}
