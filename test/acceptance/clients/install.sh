#!/bin/sh
# Installs the clients of clients.test.ts, each by its own package manager, and compiles what they need. Clients without a
# toolchain on this machine are left out. Debian's are installed by: apt-get install gh ruby-octokit python3-github
set -u
here=$(cd "$(dirname "$0")" && pwd)
to=${HEARTH_TEST_CLIENTS:-$HOME/.cache/hearth-clients}
mkdir -p "$to"
has() { command -v "$1" >/dev/null || { echo "$1 is not there: skipped"; return 1; }; }

has python3 && python3 -m venv "$to/python" && "$to/python/bin/pip" install --quiet -r "$here/requirements.txt"
has go && (cd "$here/go-github" && go build -o "$to/go-github" .)
has cargo && cargo build --quiet --locked --manifest-path "$here/octocrab/Cargo.toml" --target-dir "$to/octocrab"
has mvn && mvn --quiet --batch-mode -f "$here/hub4j/pom.xml" dependency:copy-dependencies -DoutputDirectory="$to/hub4j"
