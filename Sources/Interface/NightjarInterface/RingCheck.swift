/// Whether the user notices a ring, or would notice one. Clients get it as the type `RingReport` of
/// the interface.
package struct RingCheck {
  /// Why the user does not see a ring, or does not hear it.
  package struct Lack: Error {
    package var word: Wire.RingLack
    /// Nil: the same as that of the other lack.
    package var reason: Sentence?

    package init(_ word: Wire.RingLack, _ reason: Sentence?) {
      (self.word, self.reason) = (word, reason)
    }
  }

  /// Why the desktop shows no popup for the ring; nil: it shows one.
  package var unseen: Lack?
  /// Why neither the notification server nor a player makes a sound for the ring; nil: one does.
  package var unheard: Lack?
  /// The name and version of the running notification server.
  package var server: String?
  /// The program that plays the sound; nil if the notification server plays it, or if there is no
  /// sound.
  package var player: String?
  /// Whether the notification server reports that the user has paused popups.
  package var paused = false

  package init() {}

  /// A ring that is neither seen nor heard, for one reason.
  package init(_ word: Wire.RingLack, _ reason: Sentence) {
    (unseen, unheard) = (Lack(word, reason), Lack(word, nil))
  }

  package var reason: Sentence? {
    Sentence(joining: [unseen, unheard].compactMap { $0?.reason })
  }
}
