# What the flake says of its packages, evaluated with a stand-in for nixpkgs.
#   nix-instantiate --eval --strict --json --arg flake FILE .make/other.nix
{ flake }:
let
  lib = {
    genAttrs = names: value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
    fileContents = builtins.readFile;
    getName = package: package.pname;
  };
  nixpkgs =
    { system, config }:
    assert config.allowUnfreePredicate { pname = "nightjar"; };
    {
      swiftPackages = { swift = 0; swiftpm = 0; stdenv.mkDerivation = package: package; };
      autoPatchelfHook = 0; git = 0; lld = 0; mosquitto = 0; openssl = 0; sqlite = 0; systemd = 0; tomlplusplus = 0;
    };
  outputs = (builtins.scopedImport { import = _: nixpkgs; } flake).outputs {
    self = outputs;
    nixpkgs = { inherit lib; };
    argument-parser = "argument-parser";
  };
  says =
    system: { default }:
    let
      module = outputs.nixosModules.default { pkgs.stdenv.hostPlatform = { inherit system; }; };
      parser = builtins.match ".*parser-from [^ ]+ ([0-9.]+)\n.*" default.buildPhase;
      rest = [ default.installPhase default.meta default.nativeBuildInputs default.buildInputs module.systemd.user ];
    in
    assert module.systemd.packages == [ default ];
    builtins.deepSeq rest "${default.pname} ${default.version} with parser ${builtins.head parser}";
in
builtins.mapAttrs says outputs.packages
