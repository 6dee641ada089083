public import NightjarModel

extension SessionAddress {
  /// The prefix of the session's topics: `PREFIX/@GROUP/SESSION`. Below it they are the same as
  /// below `PREFIX`: each member publishes below `PREFIX/@GROUP/SESSION/PERSON/DEVICE`.
  ///
  /// - Parameter prefix: the prefix of all topics.
  public func topicPrefix(below prefix: String) -> String {
    "\(prefix)/\(Self.groupMark)\(group)/\(word)"
  }
}
