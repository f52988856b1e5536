#!/usr/bin/env bash
# Runs the shell commands of the README as they are written, line by line, from the root of the repository.
#
#   check-readme.sh [COMMAND…]     commands to skip because the caller has just run them
source "$(dirname "$0")/env.sh"

commands() { awk '/^```/ { inside = ($0 == "```sh") && !inside; next } inside && NF && !/^#/' README.md; }

count=0
while IFS= read -r command <&3; do
    count=$((count + 1))
    for done_before in "$@"; do
        [[ $command == "$done_before" ]] && continue 2
    done
    say "README: $command"
    bash -euo pipefail -c "$command" </dev/null || fail "this command of the README failed: $command"
done 3< <(commands)
((count > 0)) || fail "no commands found in README.md"
