#!/usr/bin/env bash
# Pictures every view of the window without a display, at 1280x720 and 1920x1080, light and dark, into build/screenshots.
# Inputs are made up by picture-inputs.py. TUNELINE=PATH pictures another build's program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=build/screenshots
program="${TUNELINE:-}"
if [ -z "$program" ]; then
    ./packaging/build.sh
    program=build/release/bin/tuneline
fi
inputs="$out/inputs"
mkdir -p "$out"
python3 packaging/picture-inputs.py "$inputs"

# Nothing of the user's own settings, recent files or ledger may be in a picture.
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
export XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" QT_QPA_PLATFORM=offscreen

failed=0
picture() { # NAME EXPECTED-EXIT-CODE ARGUMENTS…
    local name="$1" expected="$2" code=0
    shift 2
    for size in 1280x720 1920x1080; do
        for theme in light dark; do
            code=0
            "$program" --screenshot "$out/$name-$size-$theme.png" --size "$size" --theme "$theme" "$@" 2>/dev/null || code=$?
            if [ "$code" -ne "$expected" ]; then
                echo "screenshots: $name at $size, $theme ended with $code instead of $expected" >&2
                failed=1
            fi
        done
    done
    echo "  $name"
}

only="${1:-}" # a name: picture just that
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

wanted start && picture start 0 --view start
wanted timeline && picture timeline 0 "$inputs/starved.json.gz" --select "ampere_sgemm_128x64_tn" --range 30000000:55000000
wanted advisor && picture advisor 0 "$inputs/starved.json.gz" --view advisor
wanted healthy && picture healthy 0 "$inputs/tuned.json.gz"
wanted compare && picture compare 0 --compare "$inputs/starved.json.gz" "$inputs/fed.json.gz"
wanted report && picture report 0 "$inputs/damaged.json" --view report
wanted clean-report && picture clean-report 0 "$inputs/tuned.json.gz" --view report
wanted empty && picture empty 0 "$inputs/empty.json"
wanted error && picture error 3 "$inputs/notes.json"
wanted cpu-only && picture cpu-only 0 "$inputs/cpu-only.json"
wanted ranks && picture ranks 0 "$inputs"/rank?.json.gz
wanted deep && picture deep 0 "$inputs/deep.json"
wanted help && picture help 0 --view help
echo "$(find "$out" -maxdepth 1 -name '*.png' | wc -l) pictures in $out"
exit "$failed"
