#!/usr/bin/env bash
# Writes the release into build/dist: the archive of the sources, the Debian packages and their digests.
#
#   descant-VERSION.tar.gz    the files of the last commit; the same commit gives the same bytes
#   descant*_VERSION_*.deb    the tree of build.sh as packages, by dpkg-buildpackage
#   SHA256SUMS
source "$(dirname "$0")/env.sh"

# A release is a commit, so that others can build the same.
changes=$(git status --porcelain) || fail "a release is made of a checkout: git knows no commit here"
[[ -z $changes ]] || fail "commit these files first, a release is a commit:"$'\n'"$changes"
version=$(release_version)
grep -qF "## [$version] - " CHANGELOG.md || fail "CHANGELOG.md has no heading '## [$version] - YYYY-MM-DD': what is released is listed under one"
Scripts/setup.sh dist
packaged=$(dpkg-parsechangelog --show-field Version)
[[ $packaged == "$version" ]] || fail "descant --version is $version, and debian/changelog begins with $packaged"

output=$root/build/dist
rm -rf "$output"
mkdir -p "$output"
archive=$output/descant-$version.tar.gz
git archive --format=tar --prefix="descant-$version/" HEAD | gzip --no-name --best >"$archive"

# Remains of an earlier run that failed would count as built.
debian/rules clean
# The packages are not signed here; the owner of the key signs them. Objects that Scripts/build.sh has compiled are used again.
DESCANT_PACKAGES=$output dpkg-buildpackage --build=binary --no-sign --no-pre-clean \
    --buildinfo-file="$output/descant_$version.buildinfo" --buildinfo-option="-u$output" \
    --changes-file="$output/descant_$version.changes" --changes-option="-u$output"
debian/rules clean
(cd "$output" && sha256sum ./*.tar.gz ./*.deb >SHA256SUMS)
say "the release $version is in build/dist; Scripts/check-package.sh installs it in a new system and removes it again"
