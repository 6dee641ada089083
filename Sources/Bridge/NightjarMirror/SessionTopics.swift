public import NightjarModel

extension SessionAddress {
  /// The prefix of the session's topics: `PREFIX/@GROUP/SESSION`. The topics below it have the same
  /// form as those below `PREFIX`: each member publishes below
  /// `PREFIX/@GROUP/SESSION/PERSON/DEVICE`.
  ///
  /// - Parameter prefix: the prefix of all topics of Nightjar.
  public func topicPrefix(below prefix: String) -> String {
    "\(prefix)/\(Self.groupMark)\(group)/\(word)"
  }
}
