# make run    set up, build, start the daemon, show the main job
# make test   set up, build, check everything
# make install uninstall   the programs, units and pages, for this user, or for all users if root runs it
# make lint format     checks the style of Swift, or corrects it
# make test-newer      those tests of make test that boot a systemd, with a newer systemd
# make test-suspend    the tests of a machine that really sleeps, in a QEMU guest
# make test-home-assistant   the tests with a real Home Assistant; needs Python 3.13
# make test-desktop    the tests of what shows timers on desktops, in a GNOME Shell without a screen
# make pictures        the pictures of README and the documentation, made by running the programs
# make deb             the Debian package, in .build/packages/deb
# make dist            the archives of source and of programs, in .build/packages/dist
# make other-packages  checks the files for Arch Linux, Fedora and Nix as far as Debian's tools can
# make test-packages   the tests of the packages on bare Debian 12 and 13; a second build of the daemon has the same bytes
# make bench           compares Nightjar with redis, libev and systemd, in one run
# make fuzz            libFuzzer over every parser, for ten minutes in all
# make torture         kills, power cuts, damage and failing disks against the daemon, for a minute
# make torture-saboteurs   the same for daemons with planted faults; it must find each of them
# make tsan asan       the daemon under ThreadSanitizer and AddressSanitizer
# make mutants         puts faults into a copy of the tree, one at a time, and checks that tests notice; takes hours
# make bench-check     compares the instruction counts of the hot paths with .make/thresholds.*
# make generate        generates Swift and parts of the manual from the interface files in Sources/Interface/NightjarInterface
# make release-contracts   what the next release promises, in Tests/StabilityTests/Released
# make documentation   the articles in Sources/Documentation as a web site; fails on a warning of docc
SHELL := /bin/bash

PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
UNITDIR ?= $(if $(filter 0,$(shell id -u)),$(PREFIX)/lib/systemd/user,$(HOME)/.config/systemd/user)
BINDIR := $(PREFIX)/bin
# The programs that nobody types.
LIBEXECDIR := $(PREFIX)/libexec/nightjar
COMPLETIONS := $(PREFIX)/share
MANUALS := $(PREFIX)/share/man
GNOME_EXTENSION := gnome-shell/extensions/nightjar@nightjar.org
DESTDIR ?=

BUILD_PACKAGES := libsystemd-dev libsqlite3-dev libtomlplusplus-dev libmosquitto-dev libssl-dev
TEST_PACKAGES := $(BUILD_PACKAGES) sqlite3 dbus systemd python3 python3-venv python3-dbusmock \
	strace procps tzdata util-linux bash zsh fish groff-base mandoc libnss-systemd \
	mosquitto mosquitto-clients openssl iproute2 curl chromium python3-yaml
SYSTEM_PACKAGES := dbus-user-session libpam-systemd dunst xvfb pulseaudio pulseaudio-utils
# The programs of the hooks in Sources/Faces/hooks, and gjs for the example in Sources/Faces/quickshell.
HOOK_PACKAGES := gjs gsettings-desktop-schemas jq libglib2.0-bin mako-notifier playerctl speech-dispatcher \
	sway-notification-center timewarrior

# The lines after the first, in order:
#   a section for each function, and no exported symbols, so that the linker leaves out functions without a caller
#   the linker of Swift's toolchain, because it can write relocations in a short form, which glibc 2.36 reads
#   functions with the same code are in the program once: 0.6 MB less of nightjard
#   addresses in other libraries are looked up at the start, and are read-only after that (`hardening-check`)
#   no path of the build folder in the data for debuggers: the programs have the same bytes wherever they are built
#   no path of the build folder in the data about modules
RELEASE := swift build -c release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --no-export-dynamic \
	-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker --icf=all \
	-Xlinker -z -Xlinker now \
	-Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xlinker -T -Xlinker "$(CURDIR)/.make/programs.ld"
BINARIES = $(shell $(RELEASE) --show-bin-path)

# The tests of the benchmarks are among the others. A build of the programs does not build the benchmarks.
TEST := NIGHTJAR_BENCH=1 swift test

# The programs with which Nightjar is compared.
BENCH_PACKAGES := $(BUILD_PACKAGES) redis-server mosquitto libev-dev util-linux \
	dbus systemd dbus-user-session libpam-systemd

# valgrind counts the instructions.
COUNT_PACKAGES := $(BUILD_PACKAGES) valgrind binutils util-linux tzdata

# The programs that draw the pictures.
PICTURE_PACKAGES := $(TEST_PACKAGES) $(SYSTEM_PACKAGES) netpbm fonts-dejavu-core
PICTURES := $(CURDIR)/Sources/Documentation/Documentation.docc/Resources

# The programs that boot a guest which really sleeps.
GUEST_PACKAGES := $(TEST_PACKAGES) qemu-system-x86 qemu-utils mmdebstrap e2fsprogs
# A desktop for the tests of what shows timers there.
DESKTOP_PACKAGES := $(TEST_PACKAGES) gnome-shell adwaita-icon-theme fonts-dejavu-core libglib2.0-bin xvfb \
	xfce4-panel xfwm4 xdotool imagemagick sway waybar librsvg2-common
# The programs that make the packages, and those that test them.
PACKAGE_PACKAGES := $(BUILD_PACKAGES) debhelper dpkg-dev xz-utils
# Tools of other distributions; Debian 12 has no namcap.
OTHER_PACKAGES := $(PACKAGE_PACKAGES) rpm rpmlint makepkg pacman-package-manager libarchive-tools nix-bin
PACKAGE_TEST_PACKAGES := $(PACKAGE_PACKAGES) $(TEST_PACKAGES) lintian devscripts mmdebstrap
PACKAGED ?= $(CURDIR)/.build/packages
INSTALLED := $(CURDIR)/.build/installed
# Systems and a Home Assistant for tests. A build takes minutes, so several clones may share this folder. Each system is
# built again when its script has changed.
CACHE ?= $(CURDIR)/.build
GUEST ?= $(CACHE)/guest
NEWER ?= $(CACHE)/newer
HOME_ASSISTANT ?= $(CACHE)/home-assistant
PACKAGE_ROOTS ?= $(CACHE)/package-roots

.PHONY: all build run test test-local test-parallel test-timed test-system test-newer test-suspend \
	test-home-assistant test-desktop test-packages deb deb-next dist pictures fuzz install uninstall format lint bench \
	setup setup-test setup-guest setup-desktop setup-pictures setup-packages setup-other-packages setup-bench \
	install-tested build-bench bench-check setup-bench-check torture torture-saboteurs tsan asan mutants mutants-ci \
	generate release-contracts documentation other-packages packages-again image-newer image-guest image-packages

all: build

setup:
	@.make/setup $(BUILD_PACKAGES)

setup-test:
	@.make/setup $(TEST_PACKAGES) $(SYSTEM_PACKAGES) $(HOOK_PACKAGES)

setup-bench:
	@.make/setup $(BENCH_PACKAGES)

setup-bench-check:
	@.make/setup $(COUNT_PACKAGES)

setup-pictures:
	@.make/setup $(PICTURE_PACKAGES)

setup-packages:
	@.make/setup $(PACKAGE_PACKAGES)

setup-other-packages:
	@.make/setup $(OTHER_PACKAGES)

setup-guest:
	@.make/setup $(GUEST_PACKAGES)

setup-desktop:
	@.make/setup $(DESKTOP_PACKAGES)

# ONLY="--product nightjard" builds less.
build: setup
	$(RELEASE) $(ONLY)

run: build
	@.make/run "$(BINARIES)"

# The tests use the daemon and the command line of the release build, because that build is shipped. There are three
# groups: tests that may run in parallel, which plain `swift test` runs; tests that measure time, one at a time; and
# tests that boot a system.
SYSTEM := ^SystemTests\.
HOME_TESTS := ^SystemTests\.(HomeAssistant|Dashboard)Tests/
DESKTOP_TESTS := ^SystemTests\.(Gnome|GnomePicture|TrayPanel)Tests/
PACKAGE_TESTS := ^SystemTests\.(Package|PackageFile|Archive|Outside)Tests/
TIMED := [.](ActionClock|BridgeDelay|BridgeFlood|BridgeReconnect|Clock|HeldRing|RecordedRing|SessionLoss|Sleep|Stop|WatchIdle|Watchers)Tests/

test: test-local
	$(MAKE) -o setup-test -o build test-system

# The checks that boot no system. With -j1, the tests that measure time run alone even under `make -j`.
test-local: setup-test build lint
	$(MAKE) -j1 -o setup-test -o build test-parallel test-timed

test-parallel: setup-test build
	$(TEST) --skip '$(SYSTEM)'

# ArchitectureTests compares TIMED with the suites that have the trait `.timed`.
test-timed: setup-test build
	NIGHTJAR_TIMED=1 $(TEST) --no-parallel --filter '$(TIMED)'

# Installs into a folder, for the test systems below.
install-tested: build
	rm -rf "$(INSTALLED)"
	$(MAKE) --no-print-directory -s -o build install \
	  DESTDIR="$(INSTALLED)" PREFIX=/usr/local UNITDIR=/usr/local/lib/systemd/user >/dev/null

# Boots a whole systemd in namespaces; needs root.
test-system: setup-test install-tested
	NIGHTJAR_INSTALLED="$(INSTALLED)" $(TEST) --filter '$(SYSTEM)' --skip GuestTests --skip '$(HOME_TESTS)' --skip '$(DESKTOP_TESTS)' --skip '$(PACKAGE_TESTS)'

# Makes the systems for test-newer and test-suspend from Debian's packages.
image-newer: setup-guest
	Tests/SystemTests/Host/newer "$(NEWER)"

image-guest: setup-guest
	Tests/SystemTests/Guest/build "$(GUEST)"

# The same as test-system with the systemd of the next Debian, because the settings in the units depend on its version.
test-newer: image-newer install-tested
	NIGHTJAR_HOST_ROOT="$(NEWER)/root" NIGHTJAR_INSTALLED="$(INSTALLED)" \
	  $(TEST) --filter '$(SYSTEM)' --skip GuestTests --skip '$(HOME_TESTS)' --skip '$(DESKTOP_TESTS)' --skip '$(PACKAGE_TESTS)'

# A real suspend, a reboot and a power cut, in a guest.
test-suspend: image-guest install-tested
	NIGHTJAR_GUEST="$(GUEST)" NIGHTJAR_INSTALLED="$(INSTALLED)" $(TEST) --filter GuestTests

# Runs a real Home Assistant; needs Python 3.13.
test-home-assistant: setup-test build
	@Tests/SystemTests/HomeAssistant/install "$(HOME_ASSISTANT)"
	@test ! -e "$(HOME_ASSISTANT)/installed" || \
	  NIGHTJAR_HOME_ASSISTANT="$(HOME_ASSISTANT)" $(TEST) --filter '$(HOME_TESTS)'

# Runs GNOME Shell, XFCE's panel and waybar without a screen.
test-desktop: setup-desktop build
	NIGHTJAR_DESKTOP=1 $(TEST) --filter '$(DESKTOP_TESTS)'

# Look at the pictures before you commit them. PictureTests and DashboardTests only compare with the committed ones.
pictures: setup-pictures setup-desktop build
	NIGHTJAR_PICTURES="$(PICTURES)" $(TEST) --filter '^PictureTests\.'
	NIGHTJAR_PICTURES="$(PICTURES)" NIGHTJAR_DESKTOP=1 $(TEST) --filter '^SystemTests\.(GnomePicture|TrayPanel)Tests/'
	@Tests/SystemTests/HomeAssistant/install "$(HOME_ASSISTANT)"
	@test ! -e "$(HOME_ASSISTANT)/installed" || NIGHTJAR_PICTURES="$(PICTURES)" \
	  NIGHTJAR_HOME_ASSISTANT="$(HOME_ASSISTANT)" $(TEST) --filter '^SystemTests\.DashboardTests/'

deb: setup-packages build
	.make/deb "$(BINARIES)" "$(PACKAGED)/deb"

# The tests upgrade to this package.
deb-next: setup-packages build
	DPKG_DEB_COMPRESSOR_LEVEL=1 DEB_BUILD_OPTIONS=noautodbgsym .make/deb "$(BINARIES)" "$(PACKAGED)/next" +next

dist: setup-packages build
	.make/dist "$(BINARIES)" "$(PACKAGED)/dist"

other-packages: setup-other-packages dist
	.make/other "$(BINARIES)" "$(PACKAGED)/dist"

# Makes the packages and archives of the same commit by a second build of one program, in a new clone. With AGAIN= it
# builds all of them, as for a release.
AGAIN ?= nightjard
packages-again: setup-packages
	.make/again "$(BINARIES)" "$(PACKAGED)/again" $(AGAIN)

# The archives are made from a commit, so commit all changes before test-packages.
image-packages:
	@.make/setup $(PACKAGE_TEST_PACKAGES)
	Tests/SystemTests/Packages/roots "$(PACKAGE_ROOTS)"

test-packages: image-packages deb deb-next dist other-packages packages-again
	NIGHTJAR_PACKAGES="$(PACKAGED)" NIGHTJAR_PACKAGE_ROOTS="$(PACKAGE_ROOTS)" \
	  $(TEST) --filter '$(PACKAGE_TESTS)'

# Every module is instrumented for coverage and for AddressSanitizer, and has the assertions of a debug build. The
# sanitizers are named twice: once for the linker, and once for the compiler, which uses only the last such flag.
FUZZ_SECONDS ?= 600
FUZZ := $(CURDIR)/.build/fuzz
FUZZ_FLAGS := --sanitize fuzzer --sanitize address \
	$(addprefix -Xswiftc ,-sanitize=address,fuzzer -enable-testing -assert-config Debug \
	  -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp)

fuzz: setup
	NIGHTJAR_FUZZ=1 swift build -c release --scratch-path "$(FUZZ)" $(FUZZ_FLAGS) --product nightjar-fuzz
	.make/fuzz "$(FUZZ)" $(FUZZ_SECONDS)

# SEED= repeats a run, TORTURE_SECONDS= sets its length, and TORTURE= has further options of nightjar-torture. The first
# run has a planted fault: a disk that reports a sync without doing it. If the torture misses that, it proves nothing.
TORTURE_SECONDS ?= 60
SEED ?= 0
TORTURER = "$(BINARIES)/nightjar-torture" --daemon "$(BINARIES)/nightjard" \
	--kept "$(CURDIR)/.build/torture"

torture: build
	NIGHTJAR_TORTURE=1 $(RELEASE) --product nightjar-torture
	$(TORTURER) --only cuts --sabotage unsynced --saboteur --quiet
	$(TORTURER) --seconds $(TORTURE_SECONDS) --seed $(SEED) $(TORTURE)

torture-saboteurs: torture
	.make/saboteurs "$(BINARIES)" "$(CURDIR)/.build/saboteurs"

# Only the daemon is instrumented. The tests are those of `make test`.
tsan: setup-test build
	.make/sanitize thread "$(BINARIES)" "$(CURDIR)/.build/tsan"

asan: setup-test build
	.make/sanitize address "$(BINARIES)" "$(CURDIR)/.build/asan"

lint:
	swift format lint --strict --recursive Sources Tests Package.swift
	@# swift format does not measure comments. A URL has no space to break at, and the tests of the
	@# generator have comments in texts.
	@! git grep -nP '^(?=.{101})\s*//(?!.*https?:)' -- \
	  '*.swift' ':!*/Generated/*' ':!Tests/Varlink/VarlinkGeneratorTests/*' || \
	  { echo 'these comments are wider than 100 columns' >&2; exit 1; }
	.make/mutants --check
	.make/saboteurs --check

# MUTANTS has options of .make/mutants: MUTANTS="--only ^engine/ --narrow". Without options it runs all of
# Tests/Mutants, for hours. mutants-ci runs five with the same quick test target, chosen by the hash of the commit.
mutants: setup-test
	.make/mutants $(MUTANTS)

mutants-ci: setup-test
	.make/mutants --narrow --count 5

# The generated files are committed. NightjarInterfaceTests compare them with the interface files.
generate: setup
	swift run --quiet varlink-swift each Sources/Interface/NightjarInterface/outputs
	swift run --quiet varlink-swift each Tests/Varlink/VarlinkTests/outputs
	swift run --quiet nightjar-generate

# Later releases must keep what a release promises; StabilityTests compare. Until the release, this writes it anew. The
# ledger comes last but one, because the daemon reads it.
RELEASE_VERSION = $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Interface/NightjarInterface/Version.swift)

release-contracts: setup-test build
	for suite in StabilityTests.ReleasedTests NightjarLedgerTests.FormatTests StabilityTests.LedgerTests; do \
	  NIGHTJAR_WRITE_RELEASE="$(RELEASE_VERSION)" $(TEST) --filter "^$$suite/" || exit; \
	done

# DocumentationTests run this rule, too.
PAGES ?= $(CURDIR)/.build/documentation

documentation:
	docc convert Sources/Documentation/Documentation.docc --warnings-as-errors --output-path "$(PAGES)"

format:
	swift format --in-place --recursive Sources Tests Package.swift

build-bench: build
	NIGHTJAR_BENCH=1 $(RELEASE) --product nightjar-bench

# BENCH has options of nightjar-bench: BENCH="--only get --rounds 3".
bench: setup-bench install-tested build-bench
	.make/bench "$(BINARIES)/nightjar-bench" "$(BINARIES)" "$(CURDIR)/.build/bench" "$(INSTALLED)" $(BENCH)

# BENCH_CHECK=--write writes new thresholds, BENCH_CHECK="--only get" counts one path.
bench-check: setup-bench-check build-bench
	.make/bench-check "$(BINARIES)/nightjar-bench" "$(BINARIES)" "$(CURDIR)/.build/bench-check" $(BENCH_CHECK)

HOOKS := $(filter-out %/lib,$(wildcard Sources/Faces/hooks/*))

install: build
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(UNITDIR)"
	install -m 755 "$(BINARIES)/nightjard" "$(BINARIES)/nightjar" "$(BINARIES)/nightjar-rehearse" \
	  "$(BINARIES)/nightjar-mqtt" "$(DESTDIR)$(BINDIR)"
	for unit in nightjar nightjar-mqtt; do \
	  sed 's|@BINDIR@|$(BINDIR)|' systemd/$$unit.service >"$(DESTDIR)$(UNITDIR)/$$unit.service" || exit; \
	done
	install -m 644 systemd/nightjar.socket "$(DESTDIR)$(UNITDIR)"
	install -d "$(DESTDIR)$(PREFIX)/share/nightjar"
	install -m 644 systemd/wake.conf systemd/sandbox.conf "$(DESTDIR)$(PREFIX)/share/nightjar"
	install -D -m 644 -t "$(DESTDIR)$(UNITDIR)-preset" systemd/90-nightjar.preset
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/nightjar/sounds" Sources/Sounds/*.wav
	install -D -m 755 -t "$(DESTDIR)$(PREFIX)/share/nightjar/hooks" $(HOOKS)
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/nightjar/hooks/lib" Sources/Faces/hooks/lib/work
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/nightjar/quickshell" Sources/Faces/quickshell/*
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/applications" Sources/Packaging/nightjar.desktop
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps" Sources/Packaging/nightjar.svg
	install -D -m 755 -t "$(DESTDIR)$(LIBEXECDIR)" "$(BINARIES)/nightjar-launcher" "$(BINARIES)/nightjar-tray"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps" Sources/Packaging/Faces/nightjar-ringing.svg
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/gnome-shell/search-providers" \
	  Sources/Packaging/Faces/nightjar-search-provider.ini
	install -D -m 644 Sources/Packaging/Faces/nightjar-krunner.desktop \
	  "$(DESTDIR)$(PREFIX)/share/krunner/dbusplugins/nightjar.desktop"
	install -d "$(DESTDIR)$(PREFIX)/share/dbus-1/services"
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|' Sources/Packaging/Faces/org.nightjar.Launcher.service \
	  >"$(DESTDIR)$(PREFIX)/share/dbus-1/services/org.nightjar.Launcher.service"
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|' Sources/Packaging/Faces/nightjar-tray.desktop \
	  >"$(DESTDIR)$(PREFIX)/share/nightjar/nightjar-tray.desktop"
	Sources/Faces/gnome/build "$(DESTDIR)$(PREFIX)/share/$(GNOME_EXTENSION)"
	install -d "$(DESTDIR)$(COMPLETIONS)/bash-completion/completions" \
	  "$(DESTDIR)$(COMPLETIONS)/zsh/site-functions" "$(DESTDIR)$(COMPLETIONS)/fish/vendor_completions.d"
	"$(BINARIES)/nightjar" completions bash >"$(DESTDIR)$(COMPLETIONS)/bash-completion/completions/nightjar"
	"$(BINARIES)/nightjar" completions zsh >"$(DESTDIR)$(COMPLETIONS)/zsh/site-functions/_nightjar"
	"$(BINARIES)/nightjar" completions fish >"$(DESTDIR)$(COMPLETIONS)/fish/vendor_completions.d/nightjar.fish"
	for section in 1 5 7; do \
	  install -D -m 644 -t "$(DESTDIR)$(MANUALS)/man$$section" Sources/Manual/*.$$section || exit; \
	done
	@echo "Installed. To have it from each login on:  systemctl --user enable --now nightjar.socket nightjar.service"

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)"/{nightjard,nightjar,nightjar-rehearse,nightjar-mqtt} \
	  "$(DESTDIR)$(UNITDIR)/nightjar.service" "$(DESTDIR)$(UNITDIR)/nightjar-mqtt.service" "$(DESTDIR)$(UNITDIR)/nightjar.socket" \
	  "$(DESTDIR)$(UNITDIR)-preset/90-nightjar.preset" \
	  "$(DESTDIR)$(PREFIX)/share/applications/nightjar.desktop" \
	  "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps/nightjar.svg" \
	  "$(DESTDIR)$(LIBEXECDIR)"/nightjar-{launcher,tray} \
	  "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps/nightjar-ringing.svg" \
	  "$(DESTDIR)$(PREFIX)/share/gnome-shell/search-providers/nightjar-search-provider.ini" \
	  "$(DESTDIR)$(PREFIX)/share/krunner/dbusplugins/nightjar.desktop" \
	  "$(DESTDIR)$(PREFIX)/share/dbus-1/services/org.nightjar.Launcher.service" \
	  "$(DESTDIR)$(PREFIX)/share/nightjar/nightjar-tray.desktop" \
	  "$(DESTDIR)$(PREFIX)/share/nightjar/wake.conf" "$(DESTDIR)$(PREFIX)/share/nightjar/sandbox.conf" \
	  "$(DESTDIR)$(PREFIX)/share/nightjar/sounds"/{chime,marimba,pulse}.wav \
	  $(patsubst Sources/Faces/%,"$(DESTDIR)$(PREFIX)/share/nightjar/%",$(HOOKS)) \
	  "$(DESTDIR)$(PREFIX)/share/nightjar/hooks/lib/work" \
	  $(patsubst Sources/Faces/%,"$(DESTDIR)$(PREFIX)/share/nightjar/%",$(wildcard Sources/Faces/quickshell/*)) \
	  "$(DESTDIR)$(COMPLETIONS)/bash-completion/completions/nightjar" \
	  "$(DESTDIR)$(COMPLETIONS)/zsh/site-functions/_nightjar" \
	  "$(DESTDIR)$(COMPLETIONS)/fish/vendor_completions.d/nightjar.fish" \
	  "$(DESTDIR)$(MANUALS)"/man[157]/{nightjar.1,nightjar[.-]*.[157],nightjard.1,org.nightjar.*.7}
	rm -rf "$(DESTDIR)$(PREFIX)/share/$(GNOME_EXTENSION)"
	@echo "Uninstalled. Timers are kept in the state folder; a running daemon continues until it is stopped."
