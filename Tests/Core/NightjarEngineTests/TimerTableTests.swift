import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

@Suite struct TimerTableTests {
  private func timer(_ id: Int64, _ name: String) -> Timer {
    Timer(
      id: id, name: name, clock: .elapsed, fullLengthUsec: 1, runLengthUsec: 1, startedUsec: 0,
      phase: .running(deadline: 1))
  }

  @Test func `A plain countdown takes no more memory than it may`() {
    #expect(MemoryLayout<Timer>.stride <= 144)
  }

  @Test func `100,000 names are found while the index grows, and after half are removed`() {
    let count = 100_000
    var table = TimerTable()
    for index in 0..<count {
      table.insert(timer(Int64(index), "run/\(index)/mate"), at: table.nextSlot)
      if index % 1000 == 0 { #expect(table.slot(named: "run/\(index / 2)/mate") == index / 2) }
    }
    #expect(table.count == count)
    #expect((0..<count).allSatisfy { table.slot(named: "run/\($0)/mate") == $0 })
    for index in stride(from: 0, to: count, by: 2) { table.remove(index) }
    #expect(table.count == count / 2)
    #expect(
      (0..<count).allSatisfy {
        table.slot(named: "run/\($0)/mate") == ($0 % 2 == 0 ? nil : $0)
      })
    // Freed slots are used again before new ones.
    for index in stride(from: 0, to: count, by: 2) {
      table.insert(timer(Int64(index), "again/\(index)"), at: table.nextSlot)
    }
    #expect(table.slotEnd == count)
    #expect(table.slot(named: "again/0") != nil)
    #expect(table[table.slot(named: "again/0") ?? 0].name == "again/0")
  }

  @Test func `Names whose texts differ in anything are different names`() {
    var table = TimerTable()
    let long = [15, 16, 17, 24, 255].map { String(repeating: "x", count: $0) }
    let names =
      ["a", "A", "a/b", "ab", "é", "è", "e", "k\u{301}", "ﬁ", "fi"] + long
      + long.map { $0.dropLast() + "y" }
    for (index, name) in names.enumerated() {
      #expect(table.slot(named: name) == nil)
      table.insert(timer(Int64(index), name), at: table.nextSlot)
    }
    for (index, name) in names.enumerated() {
      #expect(table.slot(named: name) == index)
      #expect(table[index].id == Int64(index))
      #expect(Array(table[index].name.utf8) == Array(name.utf8))
    }
    #expect(table.slot(named: "") == nil)
  }

  /// Spellings of one text that Unicode calls equivalent: composed, decomposed, marks in another
  /// order, Hangul, and signs that are the same as another character.
  @Test(arguments: [
    ["caf\u{E9}", "cafe\u{301}"], ["q\u{307}\u{323}", "q\u{323}\u{307}"],
    ["\u{D55C}", "\u{1112}\u{1161}\u{11AB}"], ["\u{212A}", "K"], ["\u{37E}", ";"],
    ["\u{2126}/1", "\u{3A9}/1"],
    ["a name of more than 16 bytes: \u{E5}", "a name of more than 16 bytes: a\u{30A}"],
  ])
  func `A name is found in each of its spellings, and shown in its first`(spellings: [String]) {
    for first in spellings {
      var table = TimerTable()
      table.insert(timer(1, "another"), at: 0)
      table.insert(timer(2, first), at: 1)
      for name in spellings {
        #expect(table.slot(named: name) == 1, "\(Array(name.unicodeScalars))")
      }
      #expect(table[1].name.utf8.elementsEqual(first.utf8))
      table.rename(1, to: "tea")
      for name in spellings { #expect(table.slot(named: name) == nil) }
    }
  }

  @Test func `Attachments are removed with their timer, and the next timer in the slot has none`() {
    var table = TimerTable()
    for index in 0..<600 { table.insert(timer(1, "\(index)"), at: index) }
    let value = Attachments(labels: [Label(key: "k", value: "v")], data: [1])
    table.attach(value, to: 599)
    #expect(table[599].attachments == value)
    #expect(table[598].attachments == nil)
    #expect(table[0].attachments == nil)
    table.attach(Attachments(), to: 599)
    #expect(table[599].attachments == nil)
    table.attach(value, to: 599)
    table.remove(599)
    table.insert(timer(2, "new"), at: table.nextSlot)
    #expect(table.slot(named: "new") == 599)
    #expect(table[599].attachments == nil)
  }

  @Test func `A timer that replaces another is found by its name, which may be another`() {
    var table = TimerTable()
    let names = ["short", String(repeating: "long", count: 20)]
    for (slot, name) in names.enumerated() {
      table.insert(timer(1, name), at: slot)
      table.attach(Attachments(labels: [Label(key: "k", value: "v")], data: [1]), to: slot)
      table[slot].laps = [5]
    }
    for (slot, name) in names.enumerated() {
      table.renew(timer(2, name), at: slot)
      #expect(table.slot(named: name) == slot)
      #expect(table[slot].name == name)
      #expect(table[slot].id == 2)
      #expect(table[slot].attachments == nil)
      #expect(table[slot].laps == [])
    }
    table.renew(timer(3, "another"), at: 1)
    #expect(table.slot(named: names[1]) == nil)
    #expect(table.slot(named: "another") == 1)
    #expect(table.count == 2)
    #expect(table.nextSlot == 2)
  }

  @Test func `Timers are loaded in any order, and their gaps are used afterwards`() {
    var table = TimerTable(loading: true)
    for slot in [700, 3, 1, 512] { table.insert(timer(1, "t\(slot)"), at: slot) }
    let twice = table.finishLoading()
    #expect(twice == nil)
    #expect(table.slotEnd == 701)
    for slot in [700, 3, 1, 512] {
      #expect(table.slot(named: "t\(slot)") == slot)
      #expect(table.isOccupied(slot) == true)
    }
    #expect(table.isOccupied(2) == false)
    #expect(table.isOccupied(100_000) == false)
    var used: Set<Int> = [700, 3, 1, 512]
    for index in 0..<800 {
      let slot = table.nextSlot
      #expect(used.insert(slot).inserted)
      table.insert(timer(2, "new\(index)"), at: slot)
    }
    #expect(table.slotEnd == 804)
  }

  @Test func `A name that two timers have is found when loading ends`() {
    var table = TimerTable(loading: true)
    for slot in 0..<300 {
      table.insert(timer(1, slot == 7 ? "t250" : "t\(slot)"), at: slot)
    }
    let twice = table.finishLoading()
    #expect(twice == "t250")
  }

  @Test func `An empty table that was loaded is empty`() {
    var table = TimerTable(loading: true)
    let twice = table.finishLoading()
    #expect(twice == nil)
    #expect(table.nextSlot == 0)
    table.insert(timer(1, "tea"), at: 0)
    #expect(table.slot(named: "tea") == 0)
  }
}
