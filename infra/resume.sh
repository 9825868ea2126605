#!/bin/sh
# Usage: resume.sh <resource group> [<app>]
# After a deployment or a change of settings: ends the pauses of pause.sh in one app, or in every app of the group. Pauses of
# operators stay. Does nothing in an app without a package. Needs az (signed in), curl and jq. The subscription is
# AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
set -eu
. "$(dirname "$0")/az.sh"
. "$(dirname "$0")/api.sh"
group=$1
apps=${2:-$(apps_of "$group")}

for app in $apps; do
  find_key "$app" list-queues && list_key=$key && find_key "$app" resume-queue || {
    echo "$app: has no package, and nothing to resume"
    continue
  }
  host=$(host_of "$app")
  queues=$(queues_of "$host" "$list_key") || fail "$app does not answer. The pause of its queues ends by itself."
  pauses=$(printf '%s' "$queues" | jq -r --arg reason "$deployment_reason" \
    '.[] | select(.paused.by == "operator" and .paused.reason == $reason) | "\(.queue) \(.paused.since)"')
  [ -n "$pauses" ] || continue
  # An update takes up to 30 s to end all instances, and nothing shows its end (Source: Microsoft Learn,
  # flex-consumption-site-updates). It would also end a drain that begins before.
  sleep 30
  while read -r queue since <&3; do
    status=$(call "$key" POST "https://$host/api/queues/$queue/resume" --data "{\"since\":\"$since\"}" \
      --output /dev/null --write-out '%{http_code}')
    case $status in
    200) ;;
    409) echo "$queue: somebody has paused it in the meantime" ;;
    *) fail "$queue: cannot be resumed ($status). Its pause ends by itself." ;;
    esac
  done 3<<END
$pauses
END
  echo "$app: its queues are resumed"
done
