#!/usr/bin/env bash
# Writes what a plugin's author needs to build against the library without compiling it.
#
#   sdk.sh CONFIGURATION LIB      for instance: sdk.sh release build/lib
#
#   LIB/descant/sdk/*.swiftmodule        the modules of the product, for this Swift release only
#   LIB/descant/sdk/C…/module.modulemap  the C modules that they name
#   LIB/descant/sdk/examples/            the packages that `descant plugin new` copies
#   LIB/pkgconfig/descant.pc             the flags, for other build systems
#
# The library itself, LIB/libDescant.so, is not copied here.
source "$(dirname "$0")/env.sh"
configuration=${1:?usage: sdk.sh CONFIGURATION LIB}
lib=${2:?usage: sdk.sh CONFIGURATION LIB}

# Every module whose name a client's compiler looks up while it reads the product's modules.
modules=(Descant DescantContainers DescantCore DescantDesktop DescantGStreamer DescantMixing DescantPlayback DescantTagLib
    DescantTesting Logging)
# Modules of C code whose declarations no client uses: the compiler only checks that they exist. They are written empty, so that an author's
# machine needs no headers of GStreamer, GLib, TagLib, ALSA or libpulse.
hidden=(CALSA CGStreamer CGStreamerShim CGio CPulse CResampling CTagLib CTagLibShim)

sdk=$lib/descant/sdk
rm -rf "$sdk"
mkdir -p "$sdk/CDescant" "$sdk/examples" "$lib/pkgconfig"
for module in "${modules[@]}"; do
    install -m 644 -t "$sdk" "$scratch/$configuration/Modules/$module.swiftmodule" "$scratch/$configuration/Modules/$module.swiftdoc"
done
install -m 644 -t "$sdk/CDescant" Sources/CDescant/include/*.h
printf 'module CDescant {\n    header "CDescant.h"\n    export *\n}\n' >"$sdk/CDescant/module.modulemap"
for module in "${hidden[@]}"; do
    mkdir "$sdk/$module"
    printf 'module %s {}\n' "$module" >"$sdk/$module/module.modulemap"
done
for example in Hum Drone Morse Tape Liner Sway; do
    mkdir "$sdk/examples/$example"
    cp -R "Samples/Examples/$example/Sources" "Samples/Examples/$example/Tests" "$sdk/examples/$example/"
done

cat >"$lib/pkgconfig/descant.pc" <<END
libdir=\${pcfiledir}/..
sdk=\${libdir}/descant/sdk

Name: Descant
Description: The plugin-based audio framework for Swift
Version: $(release_version)
Cflags: -I\${sdk}
Libs: -L\${libdir} -lDescant
END
