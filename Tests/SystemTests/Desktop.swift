/// Commands for root that create a desktop session in logind and set its hints.
struct Desktop {
  /// The unit that owns the session.
  var unit = "desk"

  /// Logs the user in at a desktop, as a display manager does.
  var logIn: String {
    """
    printf 'account required pam_permit.so\\nsession required pam_systemd.so type=wayland class=user\\n' \
      >/etc/pam.d/desk
    systemd-run --quiet --unit=\(unit) -p User=tester -p PAMName=desk sleep 1000000
    until loginctl show-session "$(\(session))" -P Type | grep -q wayland; do :; done
    """
  }

  /// A command that prints the session's ID.
  private var session: String {
    "ps -o lsession= -p $(systemctl show -P MainPID \(unit)) | tr -d ' '"
  }

  /// Sets a hint as the desktop does.
  func hint(_ hint: String, _ value: Bool) -> String {
    """
    path=$(busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager \
      GetSession s "$(\(session))" | cut -d '"' -f 2)
    busctl call org.freedesktop.login1 "$path" org.freedesktop.login1.Session Set\(hint)Hint b \(value)
    """
  }
}
