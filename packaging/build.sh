#!/usr/bin/env bash
# Configures and builds the release preset; cheap when nothing changed. Used by demo.sh, test.sh and screenshots.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./packaging/install-deps.sh
cmake --preset release --log-level=WARNING
cmake --build --preset release -j "${TUNELINE_JOBS:-$(nproc)}"
