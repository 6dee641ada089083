/// A binary heap, which has its least element available in O(1).
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  var count: Int { elements.count }
  var isEmpty: Bool { elements.isEmpty }

  /// The least element; nil: the heap is empty. O(1).
  var least: Element? { elements.first }

  init() {}

  /// Creates a heap of these elements. O(n).
  init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
    for index in stride(from: self.elements.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Adds an element. O(log n).
  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard elements[index] < elements[parent] else { return }
      elements.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes the least element. O(log n).
  mutating func removeLeast() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    if !elements.isEmpty { sink(0) }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = 2 * index + 1
      guard least < elements.count else { return }
      if least + 1 < elements.count, elements[least + 1] < elements[least] { least += 1 }
      guard elements[least] < elements[index] else { return }
      elements.swapAt(index, least)
      index = least
    }
  }
}
