#!/usr/bin/env bash
# Makes build/bundle/tuneline-server.tar.gz: tuneline-cli, the agent and the libraries they need that a bare GPU server
# may lack, runnable from any folder on any x86-64 Linux with glibc ≥ 2.36. Unpack it on the server; then
# `ssh server tuneline/bin/tuneline-cli serve` is what the window needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build="${TUNELINE_BUNDLE_FROM:-build/release}"
[ -x "$build/bin/tuneline-cli" ] || ./packaging/build.sh

bundle="build/bundle/tuneline"
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/include/tuneline" "$bundle/python"
cp "$build/bin/tuneline-cli" "$bundle/bin/tuneline-cli"
cp "$build"/lib/libtuneline_agent.so "$bundle/lib/"
cp capture/marks/tuneline/marks.h "$bundle/include/tuneline/"
cp capture/marks/tuneline_marks.py "$bundle/python/"
cp LICENSE "$bundle/"

# tuneline-cli looks into ../lib first (its run path). Everything but the C library and the driver's own: those belong to the machine.
ldd "$build/bin/tuneline-cli" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$bundle/lib/"

strip --strip-unneeded "$bundle"/bin/tuneline-cli "$bundle"/lib/libtuneline_agent.so
tar -C build/bundle -czf build/bundle/tuneline-server.tar.gz tuneline
echo "build/bundle/tuneline-server.tar.gz ($(du -h build/bundle/tuneline-server.tar.gz | cut -f1))"
