/// Finds the name that the user probably meant.
public enum NearName {
  /// The candidate nearest to `name`; nil if none is near. A candidate is near if it begins with
  /// `name` or differs in at most a third of its letters. O(candidates × length²).
  public static func nearest(to name: String, among candidates: [String]) -> String? {
    let typed = Array(name)
    guard !typed.isEmpty else { return nil }
    let allowed = max(1, typed.count / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let letters = Array(candidate)
      guard abs(letters.count - typed.count) <= allowed || candidate.hasPrefix(name) else {
        continue
      }
      let distance = candidate.hasPrefix(name) ? 1 : distance(typed, letters)
      if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// The number of letters to insert, remove, replace or swap with their neighbour to turn one text
  /// into the other (the "optimal string alignment" distance).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let isSame = left[row] == right[column]
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
