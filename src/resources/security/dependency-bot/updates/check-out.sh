# Checks out the commit of the run in a new folder. Only this step has the token, in its environment: it is in no argument, no
# file and no log. Nothing of the repository is run: no hooks, filters, submodules or symbolic links.
set -eu
umask 077
directory=$(mktemp -d "${RUNNER_TEMP:-/tmp}/dependency-bot.XXXXXXXXXX")
printf 'directory=%s\n' "$directory" >> "$GITHUB_OUTPUT"

export GIT_TERMINAL_PROMPT=0 GIT_LFS_SKIP_SMUDGE=1 GIT_ASKPASS=
export GIT_CONFIG_COUNT=6
export GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0=
export GIT_CONFIG_KEY_1="credential.$GITHUB_SERVER_URL.helper"
# shellcheck disable=SC2016 # Git expands the variable, when it asks for a password.
export GIT_CONFIG_VALUE_1='!f() { [ "$1" != get ] || printf "username=x-access-token\npassword=%s\n" "$TOKEN"; }; f'
export GIT_CONFIG_KEY_2=http.followRedirects GIT_CONFIG_VALUE_2=false
export GIT_CONFIG_KEY_3=safe.directory GIT_CONFIG_VALUE_3="$directory"
export GIT_CONFIG_KEY_4=core.hooksPath GIT_CONFIG_VALUE_4=/dev/null
export GIT_CONFIG_KEY_5=gc.auto GIT_CONFIG_VALUE_5=0

git init --quiet --template= "$directory"
cd "$directory"
git config core.symlinks false
git config core.autocrlf false
git config core.fsmonitor false
git config core.attributesFile /dev/null
git config submodule.recurse false
mkdir -p .git/info
# These attributes come before those of the repository: files are checked out byte by byte.
printf '* -text -filter -ident -working-tree-encoding !eol !diff !merge\n' > .git/info/attributes
git fetch --quiet --depth=1 --no-tags --no-recurse-submodules "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "$GITHUB_SHA"
git checkout --quiet --detach FETCH_HEAD
