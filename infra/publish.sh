#!/bin/sh
# Usage: publish.sh <outputs of the deployment, JSON> <package zip>
# Publishes the package to the app of every pool, unless the app runs it already. The queues of an app are paused meanwhile
# (pause.sh), because an update ends running executions by force. Then runs its sweep, so that drains of the old version are
# replaced immediately instead of at the next timer. Needs az (signed in), jq and curl. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
here=$(dirname "$0")
outputs=$1 package=$2

. "$here/az.sh"
. "$here/api.sh"
build=$(LC_ALL=C grep -a -o 'sluice-build:[0-9a-f]*' "$package" | head -n 1)

# Asks twice: for up to 30 s, instances of an earlier update may answer. With another update strategy it can take longer, and
# publishing ends nothing.
runs_package() {
  [ -n "$build" ] || return 1
  strategy=$(azure functionapp show --resource-group "$group" --name "$1" --output tsv \
    --query '(functionAppConfig || properties.functionAppConfig).siteUpdateStrategy.type' | tr -d '\r')
  [ "${strategy:-Recreate}" != RollingUpdate ] || return 1
  host=$(host_of "$1")
  reports_build && sleep 40 && reports_build
}

reports_build() {
  health=$(curl --silent --fail --retry 2 --max-time 60 "https://$host/api/health") || return 1
  [ "sluice-build:$(printf '%s' "$health" | jq -r .build 2>/dev/null)" = "$build" ]
}

group=$(sh "$here/output.sh" "$outputs" AZURE_RESOURCE_GROUP)
apps=$(sh "$here/output.sh" "$outputs" SLUICE_APPS)
while IFS= read -r app <&3; do
  published=0
  if runs_package "$app"; then
    echo "$app: runs this package already"
  else
    sh "$here/pause.sh" "$group" "$app"
    # An app that could not be published continues with its old package.
    sh "$here/publish-app.sh" "$group" "$app" "$package" || published=$?
  fi
  sh "$here/resume.sh" "$group" "$app"
  [ "$published" -eq 0 ] || exit "$published"
  sh "$here/sweep.sh" "$group" "$app"
done 3<<END
$apps
END
