import NightjarVarlink

/// Labelled lines, the values below one another and made visible.
enum Columns {
  static func lines(_ rows: [(label: String, value: String)]) -> [String] {
    let width = rows.map(\.label.count).max() ?? 0
    return rows.map { label, value in
      "\(label):\(String(repeating: " ", count: width - label.count + 1))\(VisibleText.visible(value))"
    }
  }
}
