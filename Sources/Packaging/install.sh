#!/bin/sh
# Installs Nightjar from this archive, or removes it; see usage below.
set -eu

usage="usage: install.sh --user | --prefix FOLDER, and --uninstall with one of them"
die() {
  echo "install.sh: $*" >&2
  exit 2
}

prefix='' units='' uninstall=''
while [ $# -gt 0 ]; do
  case $1 in
  --user)
    [ -z "$prefix" ] || die "--user and --prefix exclude each other; $usage"
    prefix=$HOME/.local
    units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
    ;;
  --prefix | --prefix=*)
    [ -z "$prefix" ] || die "--user and --prefix exclude each other; $usage"
    case $1 in
    --prefix=*) prefix=${1#--prefix=} ;;
    *) [ $# -gt 1 ] && prefix=$2 && shift || die "--prefix needs a folder; $usage" ;;
    esac
    case $prefix in /?*) ;; *) die "the folder of --prefix must begin with /, and '$prefix' does not; $usage" ;; esac
    units=$prefix/lib/systemd/user
    ;;
  --uninstall) uninstall=yes ;;
  --help)
    echo "$usage"
    exit
    ;;
  *) die "'$1' is no option; $usage" ;;
  esac
  shift
done
[ -n "$prefix" ] || die "say where with --user or --prefix; $usage"

# files/prefix and files/units have the files of `make install`, with @PREFIX@ in place of the prefix.
here=$(cd "$(dirname "$0")" && pwd)
list() { (cd "$here/files/$1" && find . -type f | sed 's|^\./||' | LC_ALL=C sort); }

if [ -n "$uninstall" ]; then
  if [ "$(id -u)" != 0 ] && command -v systemctl >/dev/null; then
    systemctl --user disable --now nightjar.socket nightjar.service nightjar-mqtt.service 2>/dev/null || true
  fi
  remove() {
    list "$1" | while read -r file; do
      rm -f "$2/$file"
    done
  }
  remove prefix "$prefix"
  remove units "${units%/*}"
  shared=$prefix/share/nightjar
  rmdir "$shared/sounds" "$shared/hooks/lib" "$shared/hooks" "$shared/quickshell" "$shared" "$prefix/libexec/nightjar" \
    "$prefix/share/gnome-shell/extensions/nightjar@nightjar.org" 2>/dev/null || true
  echo "Removed from $prefix. Timers are kept in ~/.local/state/nightjar, settings in ~/.config/nightjar."
  if [ "$(id -u)" = 0 ]; then
    echo "A user's daemon runs until that user logs out, or types: systemctl --user stop nightjar.socket nightjar.service"
  fi
  exit
fi

# No program reports by itself that systemd is too old.
version=$(systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
if [ -z "$version" ]; then
  echo "install.sh: this machine has no systemd; the first command starts the daemon" >&2
elif [ "$version" -lt 252 ]; then
  die "this machine has systemd $version, and Nightjar needs 252 or later"
fi
for program in bin/nightjar bin/nightjard bin/nightjar-mqtt libexec/nightjar/nightjar-tray; do
  lacking=$(ldd "$here/files/prefix/$program" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p' | tr '\n' ' ')
  [ -z "$lacking" ] || echo "install.sh: ${program##*/} needs libraries that are not here; install what holds: $lacking" >&2
done

# Removes each file before it writes the new one: a program that is running cannot be overwritten.
place() {
  list "$1" | while read -r file; do
    mkdir -p "$2/$(dirname "$file")"
    rm -f "$2/$file"
    case $1/$file in
    # These name a program by its path.
    units/* | prefix/share/dbus-1/services/* | prefix/share/nightjar/*.desktop)
      sed "s|@PREFIX@|$prefix|g" "$here/files/$1/$file" >"$2/$file"
      ;;
    *) cp -p "$here/files/$1/$file" "$2/$file" ;;
    esac
  done
}
place prefix "$prefix"
place units "${units%/*}"
echo "Installed in $prefix."
case $units in
/usr/lib/* | /usr/local/lib/* | "$HOME"/*) ;;
*) echo "systemd does not look for units in $units; link them: systemctl --user link $units/nightjar*" ;;
esac
case :$PATH: in *:"$prefix/bin":*) ;; *) echo "$prefix/bin is not in PATH; add it." ;; esac
echo "To have the daemon from each login on: systemctl --user daemon-reload && systemctl --user enable --now nightjar.socket nightjar.service"
