/// An index of slots by the hash of their name.
///
/// It is a linear hash table (W. Litwin, 1980): each insertion splits at most one page, so the
/// table grows to millions of entries without a pause to rehash them all. A page is one cache line.
/// An entry has 8 bits of the hash beside its slot, so a lookup hardly ever reads a timer with
/// another name.
struct NameIndex: ~Copyable {
  /// Fifteen entries, packed to the front, and the number of the overflow page that continues this
  /// one.
  private typealias Page = SIMD16<UInt32>
  private typealias Entries = UnsafeMutablePointer<UInt32>

  private static let entriesOfPage = 15
  /// The value that means no entry, or no overflow page.
  private static let none = UInt32.max
  private static let slotMask: UInt32 = 0xFF_FFFF
  private static let firstPages = 16
  /// The number of pages in one part; a part is 64 kB.
  private static let pagesOfPart = 1024
  /// The number of entries of a page on average. A page has room for more, because pages that are
  /// not split yet in a round of splits are up to twice as full.
  private static let entriesWanted = 8

  private var pages = ChunkedArray<Page>(filler: Page(repeating: NameIndex.none))
  private var pageCount: Int
  private var overflow = ChunkedArray<Page>(filler: Page(repeating: NameIndex.none))
  private var overflowCount = 0
  private var freeOverflow: [UInt32] = []
  private var count = 0

  /// Makes an empty index with enough pages for `room` entries. O(room).
  init(wideFor room: Int = 0) {
    pageCount = max(Self.firstPages, room / Self.entriesWanted)
    for page in 0..<pageCount { pages.reserve(page) }
  }

  /// The number of parts that the pages are divided into. It changes when the index grows.
  var partCount: Int { (pageCount - 1) / Self.pagesOfPart + 1 }

  /// The part that has the page of this hash.
  func part(of hash: UInt32) -> Int { page(of: hash) / Self.pagesOfPart }

  /// The slot with this hash for which `body` is true; nil: there is none. O(1) expected.
  @inline(__always)
  func slot(under hash: UInt32, where body: (_ slot: Int) -> Bool) -> Int? {
    let tag = hash & ~Self.slotMask
    var entries: Entries? = first(page(of: hash))
    while let page = entries {
      var place = 0
      while place < Self.entriesOfPage, page[place] != Self.none {
        let slot = Int(page[place] & Self.slotMask)
        if page[place] & ~Self.slotMask == tag, body(slot) { return slot }
        place += 1
      }
      entries = next(page)
    }
    return nil
  }

  /// Inserts a slot, which must not be in the index. O(1) expected.
  ///
  /// - Parameter hash: returns the hash of any slot in the index, and of this one.
  mutating func insert(_ slot: Int, hash: (_ slot: Int) -> UInt32) {
    precondition(slot < Self.slotMask, "a slot must be less than 0xFFFFFF")
    add(slot, hash(slot))
    count += 1
    if count > pageCount * Self.entriesWanted { splitOnePage(hash) }
  }

  /// Removes a slot, which must be in the index, with its hash. O(1) expected.
  mutating func remove(_ slot: Int, hash: UInt32) {
    var page = first(page(of: hash))
    while true {
      let end = (0..<Self.entriesOfPage).first { page[$0] == Self.none } ?? Self.entriesOfPage
      if let place = (0..<end).first(where: { page[$0] & Self.slotMask == slot }) {
        page[place] = page[end - 1]
        page[end - 1] = Self.none
        count -= 1
        return
      }
      guard let further = next(page) else { preconditionFailure("the slot is not in the index") }
      page = further
    }
  }

  private mutating func add(_ slot: Int, _ hash: UInt32) {
    var page = first(page(of: hash))
    while page[Self.entriesOfPage - 1] != Self.none {
      if let further = next(page) {
        page = further
      } else {
        let number = takeOverflow()
        page[Self.entriesOfPage] = number
        page = Self.entries(overflow.pointer(Int(number)))
      }
    }
    let end = (0..<Self.entriesOfPage).first { page[$0] == Self.none }!
    page[end] = hash & ~Self.slotMask | UInt32(slot)
  }

  /// The page of a hash: the hash modulo the next power of two if that page exists already, else
  /// modulo half of it.
  @inline(__always)
  private func page(of hash: UInt32) -> Int {
    let half = 1 << (Int.bitWidth - 1 - pageCount.leadingZeroBitCount)
    let wide = Int(hash) & (half << 1 - 1)
    return wide < pageCount ? wide : wide & (half - 1)
  }

  private mutating func splitOnePage(_ hash: (_ slot: Int) -> UInt32) {
    let half = 1 << (Int.bitWidth - 1 - pageCount.leadingZeroBitCount)
    let old = pageCount & (half - 1)
    pages.reserve(pageCount)
    pageCount += 1
    var slots: [Int] = []
    var entries: Entries? = first(old)
    while let page = entries {
      for place in 0..<Self.entriesOfPage where page[place] != Self.none {
        slots.append(Int(page[place] & Self.slotMask))
      }
      if page[Self.entriesOfPage] != Self.none { freeOverflow.append(page[Self.entriesOfPage]) }
      entries = next(page)
      page.update(repeating: Self.none, count: Self.entriesOfPage + 1)
    }
    for slot in slots { add(slot, hash(slot)) }
  }

  private mutating func takeOverflow() -> UInt32 {
    if let number = freeOverflow.popLast() { return number }
    overflow.reserve(overflowCount)
    overflowCount += 1
    return UInt32(overflowCount - 1)
  }

  @inline(__always)
  private func first(_ page: Int) -> Entries { Self.entries(pages.pointer(page)) }

  @inline(__always)
  private func next(_ page: Entries) -> Entries? {
    let number = page[Self.entriesOfPage]
    return number == Self.none ? nil : Self.entries(overflow.pointer(Int(number)))
  }

  @inline(__always)
  private static func entries(_ page: UnsafeMutablePointer<Page>) -> Entries {
    UnsafeMutableRawPointer(page).assumingMemoryBound(to: UInt32.self)
  }
}
