import NightjarTestSupport

/// A desktop without a screen or a sound card: dunst, which the bus starts, on an X server that
/// draws into a file; and PulseAudio with a null sink.
extension Host {
  /// Throws if a program of the desktop is missing.
  func expectDesktop() throws {
    for (program, package) in [("dunst", "dunst"), ("Xvfb", "xvfb"), ("pulseaudio", "pulseaudio")] {
      guard try rootRun("command -v \(program)").code == 0 else {
        throw Unmet(description: "there is no \(program) here; install the package \(package)")
      }
    }
  }

  /// Begins a session: from now on the user's manager knows the display. Clients would try abstract
  /// sockets first, whose names all hosts share: they would find another host's display.
  func startScreen() throws {
    try user(
      """
      set -e
      mkdir screen
      systemd-run --user --quiet Xvfb :77 -nolisten local -screen 0 800x500x24 -fbdir /home/tester/screen
      timeout 20 bash -c 'until [ -S /tmp/.X11-unix/X77 ]; do sleep 0.05; done'
      systemctl --user set-environment DISPLAY=:77
      """)
  }

  func startSoundServer() throws {
    try user(
      """
      set -e
      systemd-run --user --quiet pulseaudio -n --exit-idle-time=-1 --load=module-null-sink \\
        --load=module-native-protocol-unix
      timeout 20 bash -c 'until pactl info >pulse 2>&1; do sleep 0.05; done'
      """)
  }

  /// Waits until this many popups are shown.
  func awaitShown(_ count: Int) throws {
    do {
      try awaitUser("[ \"$(dunstctl count displayed 2>&1)\" = \(count) ]")
    } catch {
      let journal = try user("journalctl --user --no-pager --lines 40")
      throw Unmet(description: "\(error)\n\(journal)")
    }
  }

  /// The popups that were shown and are gone.
  func shownBefore() throws -> String {
    try user(
      "busctl --user --json=short call org.freedesktop.Notifications "
        + "/org/freedesktop/Notifications org.dunstproject.cmd0 NotificationListHistory")
  }

  /// Makes a unit of the user run in a user namespace of its own, with sandbox.conf.
  func sandbox(_ unit: String) throws {
    try user(
      """
      mkdir -p .config/systemd/user/\(unit).d
      cp /usr/local/share/nightjar/sandbox.conf .config/systemd/user/\(unit).d/
      systemctl --user daemon-reload
      """)
  }
}
