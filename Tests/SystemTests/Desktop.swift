/// Commands for root that make a session of a desktop known to logind, and that tell logind of it.
struct Desktop {
  /// The unit that the session is of.
  var unit = "desk"

  /// Logs the user in at a desktop, as a display manager does it.
  var logIn: String {
    """
    printf 'account required pam_permit.so\\nsession required pam_systemd.so type=wayland class=user\\n' \
      >/etc/pam.d/desk
    systemd-run --quiet --unit=\(unit) -p User=tester -p PAMName=desk sleep 1000000
    until loginctl show-session "$(\(session))" -P Type | grep -q wayland; do :; done
    """
  }

  /// A command that prints the number of the session.
  private var session: String {
    "ps -o lsession= -p $(systemctl show -P MainPID \(unit)) | tr -d ' '"
  }

  /// Sets a hint as the desktop does it.
  func hint(_ hint: String, _ value: Bool) -> String {
    """
    path=$(busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager \
      GetSession s "$(\(session))" | cut -d '"' -f 2)
    busctl call org.freedesktop.login1 "$path" org.freedesktop.login1.Session Set\(hint)Hint b \(value)
    """
  }
}
