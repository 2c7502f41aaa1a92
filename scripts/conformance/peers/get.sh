#!/usr/bin/env bash
# Gets the judges that no distribution has, pyHanko and EU DSS, into .local-ci, where the conformance run looks for them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$here/../../.." && pwd)/.local-ci
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$tools/dss"
