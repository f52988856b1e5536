# Sourced by the scripts that work in the root folder of another Debian.

# The mirror of this system's own packages.
mirror() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        awk -F '|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# make_root SUITE FOLDER: makes the root folder of a Debian, unless it is there.
make_root() {
    local suite=$1 target=$2
    [[ -e $target/.complete ]] && return
    command -v debootstrap >/dev/null || Scripts/setup.sh suites
    local from=${MIRROR:-$(mirror)}
    [[ -n $from ]] || fail "this system's packages do not come from Debian; name a mirror of Debian in MIRROR"
    say "the root folder of $suite"
    rm -rf "$target"
    mkdir -p "$target"
    debootstrap --variant=minbase "$suite" "$target" "$from"
    # No service may start in there.
    printf '#!/bin/sh\nexit 101\n' >"$target/usr/sbin/policy-rc.d"
    chmod +x "$target/usr/sbin/policy-rc.d"
    touch "$target/.complete"
}
