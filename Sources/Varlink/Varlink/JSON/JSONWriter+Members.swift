extension JSONWriter {
  // Inlined, so that the compiler knows the length of each member's name: see `key`.

  /// Writes a member with an integer.
  @inlinable
  @inline(__always)
  public mutating func member(_ name: StaticString, _ value: Int64) {
    key(name)
    integer(value)
  }

  /// Writes a member with a string.
  @inlinable
  @inline(__always)
  public mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  /// Writes a member that is true or false.
  @inlinable
  @inline(__always)
  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// Writes a member with an array of strings. O(n).
  public mutating func member(_ name: StaticString, _ values: [String]) {
    key(name)
    beginArray()
    for value in values { string(value) }
    endArray()
  }
}
