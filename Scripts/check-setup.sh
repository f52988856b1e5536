#!/usr/bin/env bash
# Checks setup.sh without installing anything: every set names packages that this system has, a second run installs nothing, and an unknown set
# is refused. A copy of the script runs with other programs in place of dpkg-query, apt-get, sudo and swift.
source "$(dirname "$0")/env.sh"

command -v apt-cache >/dev/null || fail "this check needs apt-cache"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/Scripts"
cp Scripts/setup.sh Scripts/env.sh "$work/Scripts"

# program FILE: writes a script whose lines are read from the standard input.
program() { { echo '#!/usr/bin/env bash' && cat; } >"$1" && chmod +x "$1"; }
program "$work/Scripts/speech-models.sh" <<<'exit 0'
program "$work/bin/swift" <<<'echo "Swift version 6.3.1"'
program "$work/bin/sudo" <<<'exec "$@"'
program "$work/bin/dpkg-query" <<<"sed 's/\$/ installed/' '$work/installed'"
program "$work/bin/apt-get" <<END
echo "\$*" >>'$work/calls'
[[ \$1 != install ]] || printf '%s\n' "\${@:2}" | grep -v '^-' >>'$work/installed'
END

# setup [SET]: runs the copy; what it installs is listed in $work/installed, and its calls of apt-get in $work/calls.
setup() { PATH=$work/bin:$PATH "$work/Scripts/setup.sh" "$@"; }

# An image of a system may come without the lists.
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    if ((EUID)); then sudo apt-get update -q; else apt-get update -q; fi
fi

# The sets that the heading of the script names, and the servers that it unpacks rather than installs.
mapfile -t sets < <(sed -n 's/^#   setup\.sh \([a-z]*\) .*/\1/p' Scripts/setup.sh)
((${#sets[@]} > 1)) || fail "the heading of setup.sh names no sets"
eval "$(grep '^servers=(' Scripts/setup.sh)"

for packages in "${sets[@]}"; do
    : >"$work/installed"
    : >"$work/calls"
    read -r -a names < <(ALLOW_MISSING=1 setup "$packages" | sed -n 's/.* ALLOW_MISSING=1 asks: //p')
    ((${#names[@]})) || fail "setup.sh $packages names no package"
    [[ ! -s $work/calls ]] || fail "setup.sh $packages calls apt-get although ALLOW_MISSING=1 is set"
    known=$(LC_ALL=C apt-cache policy "${names[@]}" |
        awk '/^[^ ].*:$/ { name = substr($1, 1, length($1) - 1) } $1 == "Candidate:" && $2 != "(none)" { print name }')
    unknown=$(printf '%s\n' "${names[@]}" | sort -u | comm -23 - <(sort -u <<<"$known"))
    [[ -z $unknown ]] || fail "setup.sh $packages names packages that this system does not have:" $unknown

    printf '%s\n' "${servers[@]}" >"$work/installed"
    setup "$packages" >/dev/null
    grep -q '^install ' "$work/calls" || fail "setup.sh $packages installs nothing where everything is missing"
    : >"$work/calls"
    output=$(setup "$packages" 2>&1)
    [[ -z $output && ! -s $work/calls ]] || fail "a second 'setup.sh $packages' does not return at once: $output"
done

output=$(setup frobnicate 2>&1) && fail "setup.sh takes any word for a set"
grep -qF "unknown set 'frobnicate'" <<<"$output" || fail "setup.sh does not say that a set is unknown: $output"
say "the ${#sets[@]} sets of setup.sh name packages that this system has"
