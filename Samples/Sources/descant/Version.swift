/// The version of the programs, as `--version` prints it. `descant-library`, `descant-ma` and `descant-desktop` are packages of their own and compile this
/// file through a symbolic link; `release_version` in Scripts/env.sh reads it for packages.
let programVersion = "0.1.0"
