#!/usr/bin/env bash
# Installs what is missing, checks the format, builds with warnings as errors, runs all tests. ctest's summary comes last.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./packaging/install-deps.sh

echo "== format (clang-format 14)"
git ls-files '*.cpp' '*.h' '*.c' | grep -v '^tests/data/' | xargs clang-format-14 --dry-run -Werror

echo "== build (release, -Wall -Wextra -Wconversion -Wshadow -Werror)"
./packaging/build.sh

echo "== tests"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
exec ctest --preset release -j "$(nproc)"
