public import NightjarModel

extension SessionAddress {
  /// What the topics of the session begin with: `PREFIX/@GROUP/SESSION`. Below it they are as below `PREFIX`, so that
  /// each member publishes below `PREFIX/@GROUP/SESSION/PERSON/DEVICE`.
  ///
  /// - Parameter prefix: what all topics begin with.
  public func topicPrefix(below prefix: String) -> String {
    "\(prefix)/\(Self.groupMark)\(group)/\(word)"
  }
}
