# The package for Nix, and a module for NixOS. In a clone:
#   nix build "git+file://$PWD?dir=Sources/Packaging"
#
# `make other-packages` checks it on Debian 12: Nix evaluates it with a stand-in for nixpkgs. Not tried: a build, which
# needs Swift 6.2 or later in nixpkgs, with its static libraries; the module in a NixOS; arm64 (aarch64), for which the
# package is only evaluated. NixOS has the time zones where TZDIR says, and the daemon takes them from there.
{
  description = "Timers that stay right through sleep, crashes and reboots";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  # A build has no network, so SwiftPM cannot fetch it.
  inputs.argument-parser = {
    url = "github:apple/swift-argument-parser/1.8.2";
    flake = false;
  };

  outputs =
    {
      self,
      nixpkgs,
      argument-parser,
    }:
    let
      source = ../..;
      firstMatch = pattern: text: builtins.head (builtins.match pattern text);
      version = firstMatch ".*static let current = \"([0-9.]+)\".*" (
        builtins.readFile (source + "/Sources/Interface/NightjarInterface/Version.swift")
      );
      parserVersion = firstMatch ".*swift-argument-parser\", from: \"([0-9.]+)\".*" (
        builtins.readFile (source + "/Package.swift")
      );
      licence = nixpkgs.lib.fileContents (source + "/Sources/Packaging/LICENSE-NOT-CHOSEN");
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];

      nightjar =
        pkgs:
        pkgs.swiftPackages.stdenv.mkDerivation {
          pname = "nightjar";
          inherit version;
          src = source;

          nativeBuildInputs = [
            pkgs.autoPatchelfHook
            pkgs.git
            pkgs.lld
            pkgs.swiftPackages.swift
            pkgs.swiftPackages.swiftpm
          ];
          buildInputs = [
            pkgs.mosquitto
            pkgs.openssl
            pkgs.sqlite
            pkgs.systemd
            pkgs.tomlplusplus
          ];

          postPatch = "patchShebangs .make Sources/Packaging";

          # The Makefile names /bin/bash. Its target setup installs Debian packages.
          buildPhase = ''
            runHook preBuild
            export HOME=$TMPDIR
            cp -R --no-preserve=mode ${argument-parser} ../argument-parser
            Sources/Packaging/parser-from ../argument-parser ${parserVersion}
            make SHELL=$SHELL -o setup build
            runHook postBuild
          '';

          # The Makefile has the list of installed files.
          installPhase = ''
            runHook preInstall
            make SHELL=$SHELL -o setup -o build install PREFIX=$out UNITDIR=$out/lib/systemd/user
            install -D -m 644 -t $out/share/doc/nightjar Sources/Packaging/LICENSE-NOT-CHOSEN
            sed "s/@LICENSE@/$(cat Sources/Packaging/LICENSE-NOT-CHOSEN)/" Sources/Packaging/debian/copyright \
              >$out/share/doc/nightjar/copyright
            runHook postInstall
          '';

          meta = {
            description = "Timers that stay right through sleep, crashes and reboots";
            license = {
              fullName = licence;
              free = false;
            };
            mainProgram = "nightjar";
            platforms = systems;
          };
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = nightjar (
          import nixpkgs {
            inherit system;
            config.allowUnfreePredicate = package: nixpkgs.lib.getName package == "nightjar";
          }
        );
      });

      # The units that the preset of the other packages enables.
      nixosModules.default =
        { pkgs, ... }:
        let
          package = self.packages.${pkgs.stdenv.hostPlatform.system}.default;
        in
        {
          environment.systemPackages = [ package ];
          systemd.packages = [ package ];
          systemd.user.sockets.nightjar.wantedBy = [ "sockets.target" ];
          systemd.user.services.nightjar.wantedBy = [ "default.target" ];
        };
    };
}
