#!/usr/bin/env bash
# The main job of Tuneline on this machine, from nothing: a real LibTorch training run on the CPU with a starved input is
# captured, the advisor names the bottleneck and says what the fix will bring, the fix is applied, captured again, and
# the comparison says whether it worked. With a display the window opens at the end; without one it is drawn into PNGs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds="${TUNELINE_DEMO_ROUNDS:-3}"
say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

say "1/6  Install and build (the first time takes a while)"
./packaging/build.sh
bin="$PWD/build/release/bin"
out="$PWD/build/demo"
rm -rf "$out"
mkdir -p "$out/before" "$out/after" "$out/logs"

# One loader thread's worth of work in the training thread itself; compute on one core, so that the other is free.
train=("$bin/tuneline-train" --model cnn --device cpu --threads 1 --workers 0 --loss-every 1)

say "2/6  Make the dataset (once)"
"${train[@]}" --steps 1

# record FOLDER ROUND [KNOB…]: one capture of the training run, stopped once the window is closed.
record() {
    local folder="$1" round="$2"
    shift 2
    "$bin/tuneline-cli" record --force --stop-after --warmup 5 --steps 8 -o "$out/$folder/round$round.tlc" -- \
        "${train[@]}" --seconds 60 "$@" >"$out/logs/$folder-round$round.log"
}

say "3/6  Capture the run as it is: ${train[*]}"
record before 1
"$bin/tuneline-cli" advise "$out/before/round1.tlc"

knob="$("$bin/tuneline-cli" advise --json "$out/before/round1.tlc" |
    python3 -c 'import json,sys; f=json.load(sys.stdin)["findings"]; print(next((x["fix"]["knob"] for x in f if x["fix"]["knob"]), ""))')"
if [ -z "$knob" ]; then
    echo "demo: the advisor named no knob to turn; its answer is above" >&2
    exit 1
fi
flag="--$(echo "${knob%%=*}" | tr _ -)"
value="${knob#*=}"

say "4/6  Apply the first advice: $flag $value; capture again, alternating, $rounds rounds"
record after 1 "$flag" "$value"
for round in $(seq 2 "$rounds"); do
    record before "$round"
    record after "$round" "$flag" "$value"
done

say "5/6  Did it work?"
"$bin/tuneline-cli" compare "$out/before" "$out/after"

say "6/6  Look"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ -z "${CI:-}" ]; then
    "$bin/tuneline" --compare "$out/before/round1.tlc" "$out/after/round1.tlc"
else
    export QT_QPA_PLATFORM=offscreen
    "$bin/tuneline" "$out/before/round1.tlc" --screenshot "$out/1-before.png" --size 1920x1080
    "$bin/tuneline" --compare "$out/before/round1.tlc" "$out/after/round1.tlc" --screenshot "$out/2-comparison.png" --size 1920x1080
    "$bin/tuneline" "$out/after/round1.tlc" --screenshot "$out/3-after.png" --size 1920x1080
    echo "No display here: the window was drawn into"
    printf '  %s\n' "$out"/*.png
fi
