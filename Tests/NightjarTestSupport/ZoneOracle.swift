/// The offsets of a time zone, read by Python's zoneinfo from the files of this machine. Foundation
/// has a table of its own, which may be years older.
package struct ZoneOracle {
  private let changes: [(second: Int64, offset: Int64)]

  /// Reads the offsets from 1969 to 2200, which takes a quarter of a second.
  package init(_ name: String) throws {
    let process = try ChildProcess(["python3", "-c", Self.script, name], package: "python3")
    let end = try process.awaitEnd()
    let numbers = process.lines.all.map { $0.split(separator: " ").compactMap { Int64($0) } }
    guard end == .exited(0), !numbers.isEmpty, numbers.allSatisfy({ $0.count == 2 })
    else { throw Unmet(description: "python3 does not know \(name)") }
    changes = numbers.map { ($0[0], $0[1]) }
  }

  /// The offset at an instant, in seconds east of UTC. The instant is in seconds since 1970.
  package func offset(at second: Int64) -> Int64 {
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].second <= second { low = middle } else { high = middle }
    }
    return changes[low].offset
  }

  /// The Python program that prints each offset with its first moment. No zone changes its offset
  /// twice within a day.
  private static let script = """
    import sys, zoneinfo, datetime
    zone = zoneinfo.ZoneInfo(sys.argv[1])
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    def offset(second):
        at = epoch + datetime.timedelta(seconds=second)
        return int(at.astimezone(zone).utcoffset().total_seconds())
    day = 86400
    begin, end = -365 * day, 84005 * day
    last = offset(begin)
    print(begin, last)
    for second in range(begin, end, day):
        if offset(second + day) == last: continue
        low, high = second, second + day
        while high - low > 1:
            middle = (low + high) // 2
            if offset(middle) == last: low = middle
            else: high = middle
        last = offset(high)
        print(high, last)
    """
}
