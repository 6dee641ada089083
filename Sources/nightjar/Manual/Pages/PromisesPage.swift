/// What Nightjar promises, and what holds it.
struct Promise {
  /// A test by its suite and its name.
  struct Proof {
    let suite: String
    let test: String

    init(_ suite: String, _ test: String) {
      self.suite = suite
      self.test = test
    }
  }

  /// As README.md has it.
  let title: String
  let proofs: [Proof]
  /// What long runs by hand came to.
  let longRun: String?

  init(_ title: String, longRun: String? = nil, _ proofs: [Proof]) {
    self.title = title
    self.longRun = longRun
    self.proofs = proofs
  }

  /// Of the differential runs, for all promises that these hold.
  private static let differential =
    "170,000 differential runs (b9307c2), each with sleeps, stops, crashes, reboots, wrong clocks and a "
    + "disk that fails: 1 violation, not mended yet, of a timer that waits for the clock and is extended."
  /// Figures of `make torture`.
  private static let torture =
    "make torture for an hour (35e9420): 14,220 kills, 468,658 acknowledged changes, 7,953 images of power "
    + "cuts, 1,445 damaged files and 1,244 failing calls: 0 violations."

  // MARK: All promises

  static let all = [
    Promise(
      "A change that was acknowledged is on disk",
      longRun: "2,860 kills with SIGKILL under load with 339,928 acknowledged changes, and 536 "
        + "power cuts replayed from a log of writes (5ae14e9): nothing was lost. \(torture)",
      [
        Proof("CrashTests", "No acknowledged change is lost in a crash, and no timer fires twice"),
        Proof(
          "FullDiskTests",
          "What a full disk does not take is refused and has not happened; the rest goes on"),
        Proof(
          "FailedCommitTests",
          "Each commit syncs the log behind its last write, before it returns"),
        Proof(
          "FailedCommitTests",
          "A change whose sync failed is not there when the daemon is killed before its next try"),
        Proof("FailedCommitTests", "Only a sync that failed leaves doubt"),
      ]),
    Promise(
      "A loss of data is never silent",
      longRun: "660 damaged databases (5ae14e9): no crash. \(torture)",
      [
        Proof(
          "LossTests", "A bit flipped in the log after a kill is told by status, doctor and a popup"
        ),
        Proof("DamageTests", "A page of zeros in any table is found out by the start"),
        Proof(
          "LossTests",
          "No bit that is flipped in the database after a clean end goes unnoticed"),
        Proof(
          "LossTests",
          "No length to which a log is cut loses or revives a timer in silence"),
        Proof(
          "RenewalTests",
          "A log that is removed while the daemon runs is noticed, and nothing is lost"),
      ]),
    Promise(
      "Nothing fires early, and nothing twice", longRun: differential,
      [
        Proof("EngineFiringTests", "a timer never fires early"),
        Proof("CrashTests", "No acknowledged change is lost in a crash, and no timer fires twice"),
        Proof(
          "DifferentialTests",
          "the engine does what the literal model does, through whatever 10,000 seeds bring"),
        Proof("SaboteurTests", "a broken core is caught by the differential runs"),
        Proof(
          "WrongClockTests",
          "After any boots with a wrong clock everything is where the true time says"),
        Proof(
          "WrongClockScriptTests",
          "A wrong clock at a boot neither rings early nor loses time"),
      ]),
    Promise(
      "Nothing is taken from another user, and nothing given",
      longRun: "300,000 hostile calls (5ae14e9): no fault.",
      [
        Proof("TrustTests", "What others can write is refused, with the command that mends it"),
        Proof("TrustTests", "A database that another user has planted runs no command"),
        Proof("TrustTests", "A hook of another user is not run"),
        Proof(
          "TrustRuleTests",
          "A daemon serves its user and root, a client calls its own user's daemon only"),
        Proof(
          "CompletionShellTests",
          "Tab and Enter give the command each of two hundred names, and nothing is run"),
        Proof("VisibleOutputTests", "No line of the live screen has one, whatever is in it"),
      ]),
    Promise(
      "Lateness is always told", longRun: differential,
      [
        Proof("EngineFiringTests", "the cause of a firing is the first cause of its span"),
        Proof(
          "StopTests",
          "What came due in a stop fires on SIGCONT, and says how late it is and why"),
        Proof(
          "EngineFiringTests",
          "a calendar timer that a step passed is late by the step; others are on time"),
      ]),
    Promise(
      "Timers that fired or were cancelled stay to be seen for a day",
      [
        Proof(
          "EngineFiringTests", "what fired or was cancelled is put away a day later, on elapsed"),
        Proof(
          "RetentionTests",
          "more events than are kept go, the oldest first, but for those that a start needs"),
        Proof(
          "RetentionTests",
          "events older than they are kept go, but for those that a start needs"),
      ]),
  ]
}

extension ManualPage {
  /// nightjar-promises(7). That each test is there, and each promise of README.md, a test sees.
  static let promises = ManualPage(
    "nightjar-promises", section: 7, summary: "what Nightjar promises, and which tests hold it",
    """
    # DESCRIPTION

    What nightjard(1) promises, with the tests that hold each promise, by suite and name, and what \
    long runs by hand came to. A figure is of the version that stands behind it; those without one \
    are of this version.

    make test runs all of these tests from the sources.

    # PROMISES

    \(Promise.all.map(\.manual).joined(separator: "\n\n"))

    # NOT PROMISED

    A hypervisor that pauses a guest stops all of its clocks: nothing can be told afterwards, and \
    nothing is claimed.

    What is due by a wall clock that is ahead, and that nothing vouches for within the wait of \
    nightjar.toml(5), rings early: see WRONG CLOCKS in nightjard(1).

    # SEE ALSO

    nightjar(1), nightjar-doctor(1), nightjard(1), nightjar.toml(5)
    """)
}

extension Promise {
  fileprivate var manual: String {
    let tests = proofs.map { "`\($0.suite)`  \($0.test)." }.joined(separator: "\n")
    return "## \(title)\n\n" + (longRun.map { "\($0)\n\n" } ?? "") + tests
  }
}
