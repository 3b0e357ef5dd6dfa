#!/usr/bin/env bash
# Publishes one version of an operator: a script to copy and to change.
#
#   pipeline.sh BUNDLE-FOLDER PACKAGE VERSION [VERSION-TO-DEPRECATE]
#
# REGISTRY     host and path that the images go to, as in registry.example.com/garden
# CA_FILE      the authority of the registry's certificate; without it those of the system are trusted
# BASE_IMAGE   the image whose program serves the index; without it opmx does
# APPROVED     "yes" where somebody has approved that the version needs more permissions than the one before
#
# The login is taken from where container tools put it. Run twice, it changes nothing the second time. The exit status is
# that of the step that failed: 1 for a failure, 3 where the version needs permissions that nobody has approved, 4 where
# something that is named does not exist.
set -euo pipefail

bundle=$1 package=$2 version=$3 deprecated=${4:-}
trust=()
if [ -n "${CA_FILE:-}" ]; then trust=(--ca-file "$CA_FILE"); fi
serve=()
if [ -n "${BASE_IMAGE:-}" ]; then serve=(--binary-image "$BASE_IMAGE"); fi
index=$REGISTRY/index:latest
image=$REGISTRY/$package-bundle:v$version

opmx bundle validate "$bundle"

# Is there an index yet? A registry that cannot be reached is not one without an index.
begin=(--from-index "$index")
status=0
opmx index list packages "$index" "${trust[@]}" >/dev/null || status=$?
case $status in
    0) ;;
    4) begin=() ;;
    *) exit "$status" ;;
esac

# The gate: whoever approved the last version has not approved more.
if [ ${#begin[@]} -gt 0 ]; then
    status=0
    opmx permissions diff "$bundle" --index "$index" --package "$package" "${trust[@]}" || status=$?
    case $status in
        0) ;;
        3) if [ "${APPROVED:-}" != yes ]; then exit 3; fi ;;
        4) echo "$package is new in the index" >&2 ;;
        *) exit "$status" ;;
    esac
fi

pinned=$(opmx bundle build "$bundle" --tag "$image" --pin "${trust[@]}")
publish=(--tag "$index" "${serve[@]}" "${trust[@]}")
opmx index add --bundles "$pinned" --if-exists skip "${begin[@]}" "${publish[@]}"
opmx index promote "$package.v$version" --channel fast --from-index "$index" "${publish[@]}"
if [ -n "$deprecated" ]; then
    opmx index deprecatetruncate --bundles "$package.v$deprecated" --from-index "$index" "${publish[@]}"
fi
opmx index check "$index" "${trust[@]}" >&2
