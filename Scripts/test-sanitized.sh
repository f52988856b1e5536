#!/usr/bin/env bash
# The services, the mixer and the plugin registry under a sanitizer: test-sanitized.sh thread|address
source "$(dirname "$0")/env.sh"
sanitizer=${1:?usage: test-sanitized.sh thread|address}

# A sanitizer changes every object file, so it keeps a scratch folder of its own.
scratch=$scratch/$sanitizer-sanitizer
limit=(timeout --kill-after=10 40m)
swift_in . test "${test_flags[@]}" --sanitize "$sanitizer" --filter 'DescantCoreTests|DescantMixingTests|DescantPlaybackTests'
