# make run    set up, build, start the daemon, show the main job
# make test   set up, build, check everything
# make test-newer      the tests of make test that boot a systemd, with a newer one
# make test-suspend    the same for a machine that really sleeps, in a QEMU guest
# make test-home-assistant   what a real Home Assistant makes of a machine; takes Python 3.13
# make pictures        the pictures of README and the documentation, made by running the programs
# make deb             the Debian package, in .build/packages/deb
# make dist            the archives of source and of programs, in .build/packages/dist
# make test-packages   the packages on bare machines with Debian 12 and 13, and whether a second build is the same
# make bench           Nightjar beside redis, libev, libevent, libuv and systemd, in one run
# make fuzz            libFuzzer over every parser, for ten minutes in all
# make torture         kills, power cuts, damage and failing disks against the daemon, for a minute
# make torture-saboteurs   the same against daemons that are wrong on purpose, each of which has to be caught
# make tsan asan       the daemon under ThreadSanitizer and AddressSanitizer
# make mutants         puts faults into a copy of the tree, one at a time: do the tests notice? For hours
# make bench-check     the instructions of the hot paths, held against .make/thresholds.*
# make generate        Swift from the interface file, Sources/NightjarInterface
# make documentation   the articles in Sources/Documentation as a web site; a warning of docc fails
SHELL := /bin/bash

PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
UNITDIR ?= $(if $(filter 0,$(shell id -u)),$(PREFIX)/lib/systemd/user,$(HOME)/.config/systemd/user)
BINDIR := $(PREFIX)/bin
COMPLETIONS := $(PREFIX)/share
MANUALS := $(PREFIX)/share/man
DESTDIR ?=

BUILD_PACKAGES := pkg-config libsystemd-dev libsqlite3-dev libtomlplusplus-dev libmosquitto-dev \
	libssl-dev
TEST_PACKAGES := $(BUILD_PACKAGES) sqlite3 dbus systemd python3 python3-venv python3-dbusmock \
	strace procps tzdata util-linux bash zsh fish groff-base mandoc libnss-systemd \
	mosquitto mosquitto-clients openssl iproute2 curl
SYSTEM_PACKAGES := dbus-user-session libpam-systemd dunst xvfb pulseaudio pulseaudio-utils

# Each line after the first makes the programs smaller, or the same bytes wherever they are built:
#   a section for each function, and no symbol for other programs: the linker leaves out what nothing calls
#   the linker of Swift's toolchain, which can write relocations in their short form (glibc 2.36)
#   addresses of other libraries are found at the start, and are then read-only (`hardening-check`)
#   the folder of the build does not get into what is written for debuggers
RELEASE := swift build -c release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --no-export-dynamic \
	-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker -z -Xlinker now \
	-Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xlinker -T -Xlinker "$(CURDIR)/.make/programs.ld"
BINARIES = $(shell $(RELEASE) --show-bin-path)

# A package of their own: who builds Nightjar does not build them.
BENCHMARKS := --package-path Tests/Benchmarks --scratch-path "$(CURDIR)/.build/benchmarks"
BENCH_PROGRAM = $(shell $(RELEASE) $(BENCHMARKS) --show-bin-path)/nightjar-bench

# What Nightjar is measured beside.
BENCH_PACKAGES := $(BUILD_PACKAGES) redis-server mosquitto libev-dev libevent-dev libuv1-dev util-linux \
	dbus systemd dbus-user-session libpam-systemd

# What counts instructions.
COUNT_PACKAGES := $(BUILD_PACKAGES) valgrind binutils util-linux tzdata

# What draws the pictures.
PICTURE_PACKAGES := $(TEST_PACKAGES) $(SYSTEM_PACKAGES) netpbm fonts-dejavu-core chromium
PICTURES := $(CURDIR)/Sources/Documentation/Documentation.docc/Resources

# What boots a guest that really sleeps.
GUEST_PACKAGES := $(TEST_PACKAGES) qemu-system-x86 qemu-utils mmdebstrap e2fsprogs
# What makes the packages, and what the tests look at them with.
PACKAGE_PACKAGES := $(BUILD_PACKAGES) debhelper dpkg-dev xz-utils
PACKAGE_TEST_PACKAGES := $(PACKAGE_PACKAGES) $(TEST_PACKAGES) lintian devscripts mmdebstrap
PACKAGED ?= $(CURDIR)/.build/packages
INSTALLED := $(CURDIR)/.build/installed
# Systems and a Home Assistant for tests: minutes to build. Each is built again when its script has changed, so
# that one folder may serve several clones.
CACHE ?= $(CURDIR)/.build
GUEST ?= $(CACHE)/guest
NEWER ?= $(CACHE)/newer
HOME_ASSISTANT ?= $(CACHE)/home-assistant
PACKAGE_ROOTS ?= $(CACHE)/package-roots

.PHONY: all build run test test-timed test-system test-newer test-suspend \
	test-home-assistant test-packages deb dist pictures fuzz install uninstall format lint bench \
	setup setup-test setup-guest setup-pictures setup-packages setup-bench install-tested \
	bench-check setup-bench-check torture torture-saboteurs tsan asan mutants mutants-ci generate \
	documentation packages-again image-newer image-guest image-packages

all: build

setup:
	@.make/setup $(BUILD_PACKAGES)

setup-test:
	@.make/setup $(TEST_PACKAGES) $(SYSTEM_PACKAGES)

setup-bench:
	@.make/setup $(BENCH_PACKAGES)

setup-bench-check:
	@.make/setup $(COUNT_PACKAGES)

setup-pictures:
	@.make/setup $(PICTURE_PACKAGES)

setup-packages:
	@.make/setup $(PACKAGE_PACKAGES)

setup-guest:
	@.make/setup $(GUEST_PACKAGES)

build: setup
	$(RELEASE)

run: build
	@.make/run "$(BINARIES)"

# The tests drive the daemon and the command line of the release build, which is what is shipped. In three turns:
# all that may run side by side, which is what plain `swift test` runs; those that measure time, alone; systems.
SYSTEM := ^SystemTests\.
HOME_TESTS := ^SystemTests\.(HomeAssistant|Dashboard)Tests/
PACKAGE_TESTS := ^SystemTests\.(Package|PackageFile|Archive)Tests/
TIMED := [.](ActionClock|BridgeDelay|BridgeFlood|BridgeIdle|BridgeReconnect|Clock|HeldRing|Idle|RecordedRing|SessionLoss|Sleep|Stop|WatchIdle|Watchers)Tests/

test: setup-test build lint
	swift test --skip '$(SYSTEM)'
	$(MAKE) -o setup-test -o build test-timed test-system

# ArchitectureTests compares TIMED with the suites that say `.timed`.
test-timed: setup-test build
	NIGHTJAR_TIMED=1 swift test --no-parallel --filter '$(TIMED)'

# What `make install` leaves, for the machines below.
install-tested: build
	rm -rf "$(INSTALLED)"
	$(MAKE) --no-print-directory -s -o build install \
	  DESTDIR="$(INSTALLED)" PREFIX=/usr/local UNITDIR=/usr/local/lib/systemd/user >/dev/null

# A whole systemd in namespaces: takes root.
test-system: setup-test install-tested
	NIGHTJAR_INSTALLED="$(INSTALLED)" swift test --filter '$(SYSTEM)' --skip GuestTests --skip '$(HOME_TESTS)' --skip '$(PACKAGE_TESTS)'

# The systems for the two below, from Debian's packages.
image-newer: setup-guest
	Tests/SystemTests/Host/newer "$(NEWER)"

image-guest: setup-guest
	Tests/SystemTests/Guest/build "$(GUEST)"

# The same with the systemd of the next Debian: what the units may ask for depends on it.
test-newer: image-newer install-tested
	NIGHTJAR_HOST_ROOT="$(NEWER)/root" NIGHTJAR_INSTALLED="$(INSTALLED)" \
	  swift test --filter '$(SYSTEM)' --skip GuestTests --skip '$(HOME_TESTS)' --skip '$(PACKAGE_TESTS)'

# A real suspend, a reboot and a power cut, in a guest.
test-suspend: image-guest install-tested
	NIGHTJAR_GUEST="$(GUEST)" NIGHTJAR_INSTALLED="$(INSTALLED)" swift test --filter GuestTests

# A real Home Assistant; it takes Python 3.13.
test-home-assistant: setup-test build
	@Tests/SystemTests/HomeAssistant/install "$(HOME_ASSISTANT)"
	@test ! -e "$(HOME_ASSISTANT)/installed" || \
	  NIGHTJAR_HOME_ASSISTANT="$(HOME_ASSISTANT)" swift test --filter '$(HOME_TESTS)'

# Look at what it writes before it is committed. PictureTests and DashboardTests compare what is committed.
pictures: setup-pictures build
	NIGHTJAR_PICTURES="$(PICTURES)" swift test --filter '^PictureTests\.'
	@Tests/SystemTests/HomeAssistant/install "$(HOME_ASSISTANT)"
	@test ! -e "$(HOME_ASSISTANT)/installed" || NIGHTJAR_PICTURES="$(PICTURES)" \
	  NIGHTJAR_HOME_ASSISTANT="$(HOME_ASSISTANT)" swift test --filter '^SystemTests\.DashboardTests/'

deb: setup-packages build
	.make/deb "$(BINARIES)" "$(PACKAGED)/deb"

dist: setup-packages build
	.make/dist "$(BINARIES)" "$(PACKAGED)/dist"

# The packages and archives of the same commit from a second build, in a clean clone.
packages-again: setup-packages
	.make/again "$(PACKAGED)/again"

# What is tested is a commit.
image-packages:
	@.make/setup $(PACKAGE_TEST_PACKAGES)
	Tests/SystemTests/Packages/roots "$(PACKAGE_ROOTS)"

test-packages: image-packages deb dist packages-again
	DPKG_DEB_COMPRESSOR_LEVEL=1 DEB_BUILD_OPTIONS=noautodbgsym .make/deb "$(BINARIES)" "$(PACKAGED)/next" +next
	NIGHTJAR_PACKAGES="$(PACKAGED)" NIGHTJAR_PACKAGE_ROOTS="$(PACKAGE_ROOTS)" \
	  swift test --filter '$(PACKAGE_TESTS)'

# Every module is instrumented, for coverage and by AddressSanitizer; the assertions of a debug build are
# in. The sanitizers are named twice: for the linking of the program, and for the compiler, which goes by
# the last of such flags.
FUZZ_SECONDS ?= 600
FUZZ := $(CURDIR)/.build/fuzz
FUZZ_FLAGS := --sanitize fuzzer --sanitize address \
	$(addprefix -Xswiftc ,-sanitize=address,fuzzer -enable-testing -assert-config Debug \
	  -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp)

fuzz: setup
	NIGHTJAR_FUZZ=1 swift build -c release --scratch-path "$(FUZZ)" $(FUZZ_FLAGS) --product nightjar-fuzz
	.make/fuzz "$(FUZZ)" $(FUZZ_SECONDS)

# SEED= repeats a run, TORTURE_SECONDS= makes it longer, TORTURE= has further options of nightjar-torture. A
# disk that says it has synced and has not must be found out first, or nothing is found.
TORTURE_SECONDS ?= 60
SEED ?= 0
TORTURER = "$(BINARIES)/nightjar-torture" --daemon "$(BINARIES)/nightjard" \
	--library "$(BINARIES)/libFaultyDisk.so" --kept "$(CURDIR)/.build/torture"

torture: build
	NIGHTJAR_TORTURE=1 $(RELEASE) --product nightjar-torture
	$(TORTURER) --only cuts --sabotage unsynced --saboteur --quiet
	$(TORTURER) --seconds $(TORTURE_SECONDS) --seed $(SEED) $(TORTURE)

torture-saboteurs: torture
	.make/saboteurs "$(BINARIES)" "$(CURDIR)/.build/saboteurs"

# The daemon is what is instrumented; the tests that drive it are those of `make test`.
tsan: setup-test build
	.make/sanitize thread "$(BINARIES)" "$(CURDIR)/.build/tsan"

asan: setup-test build
	.make/sanitize address "$(BINARIES)" "$(CURDIR)/.build/asan"

lint:
	swift format lint --strict --recursive Sources Tests Package.swift
	.make/mutants --check
	.make/saboteurs --check

# MUTANTS has options of .make/mutants: MUTANTS="--only ^engine/ --narrow". Without them all of Tests/Mutants,
# which takes hours; CI takes five of them that have the same quick test target, chosen by the commit.
mutants: setup-test
	.make/mutants $(MUTANTS)

mutants-ci: setup-test
	.make/mutants --narrow --count 5

# What it writes is committed; VarlinkGeneratorTests compare.
generate: setup
	swift run --quiet varlink-swift each Sources/NightjarInterface/outputs

# The tests run this, too.
PAGES ?= $(CURDIR)/.build/documentation

documentation:
	docc convert Sources/Documentation/Documentation.docc --warnings-as-errors --output-path "$(PAGES)"

format:
	swift format --in-place --recursive Sources Tests Package.swift

# BENCH has options of nightjar-bench: BENCH="--only get --json figures.json".
bench: setup-bench install-tested
	$(RELEASE) $(BENCHMARKS) --product nightjar-bench
	.make/bench "$(BENCH_PROGRAM)" "$(BINARIES)" "$(CURDIR)/.build/bench" "$(INSTALLED)" $(BENCH)

# The benchmarks' own tests, and the counts. BENCH_CHECK=--write writes the thresholds anew,
# BENCH_CHECK="--only get" counts one path.
bench-check: setup-bench-check build
	swift test $(BENCHMARKS)
	$(RELEASE) $(BENCHMARKS) --product nightjar-bench
	.make/bench-check "$(BENCH_PROGRAM)" "$(BINARIES)" "$(CURDIR)/.build/bench-check" $(BENCH_CHECK)

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
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/applications" Sources/Packaging/nightjar.desktop
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps" Sources/Packaging/nightjar.svg
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
	  "$(DESTDIR)$(PREFIX)/share/nightjar/wake.conf" "$(DESTDIR)$(PREFIX)/share/nightjar/sandbox.conf" \
	  "$(DESTDIR)$(PREFIX)/share/nightjar/sounds"/{chime,marimba,pulse}.wav \
	  "$(DESTDIR)$(COMPLETIONS)/bash-completion/completions/nightjar" \
	  "$(DESTDIR)$(COMPLETIONS)/zsh/site-functions/_nightjar" \
	  "$(DESTDIR)$(COMPLETIONS)/fish/vendor_completions.d/nightjar.fish" \
	  "$(DESTDIR)$(MANUALS)"/man[157]/{nightjar.1,nightjar[.-]*.[157],nightjard.1,org.nightjar.*.7}
	@echo "Uninstalled. Timers are kept in the state folder; a daemon that runs goes on until it is stopped."
