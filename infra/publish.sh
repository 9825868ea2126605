#!/bin/sh
# Usage: publish.sh <outputs of the deployment, JSON> <package zip>
# Publishes the package to the app of every pool, then lets each sweep: a drain that the old version left behind is
# taken over at once instead of at the next sweep. Needs az (signed in), jq and curl. The subscription is
# AZURE_SUBSCRIPTION_ID, else the one that az has selected.
set -eu
here=$(dirname "$0")
outputs=$1 package=$2

group=$(sh "$here/output.sh" "$outputs" AZURE_RESOURCE_GROUP)
apps=$(sh "$here/output.sh" "$outputs" SLUICE_APPS)
while IFS= read -r app <&3; do
  sh "$here/publish-app.sh" "$group" "$app" "$package"
  sh "$here/sweep.sh" "$group" "$app"
done 3<<END
$apps
END
