#!/bin/sh
# Usage: pause.sh <resource group> [<app>]
# Before a deployment or a change of settings, which end running executions by force (update strategy Recreate): pauses the
# queues of one app, or of every app in the group, and waits until their drains have ended. Otherwise, each message that is
# being processed would wait for its lease, five minutes, and its items would run again. Pauses of operators stay.
# The pause ends by itself, so that a script that dies leaves nothing paused; resume.sh ends it earlier. It is no condition of a
# deployment, which may be what repairs the app: an app that does not answer is not paused, and a drain that does not end is not
# waited for any longer. Needs az (signed in), curl and jq. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected
# in az.
set -eu
. "$(dirname "$0")/az.sh"
. "$(dirname "$0")/api.sh"
group=$1
exists=$(azure group exists --name "$group" | tr -d '\r')
if [ "$exists" = false ]; then
  echo "there is no resource group $group yet, and nothing to pause"
  exit 0
fi
apps=${2:-$(apps_of "$group")} || exit 0

# Ten minutes for the drains to end (functionTimeout in host.json: no slice runs longer), and ten to publish the package.
pause_seconds=1200
stop_at=$(($(date +%s) + 600))
# An app that does not answer must not delay a deployment for minutes.
briefly='--retry-max-time 60 --max-time 60'
body=$(jq -cn --arg reason "$deployment_reason" --argjson seconds "$pause_seconds" \
  '{reason: $reason, forSeconds: $seconds, unlessPaused: true}')

# Sets $host and $list_key for `queues_of`.
pause_app() {
  host=$(host_of "$1") && find_key "$1" list-queues && list_key=$key && find_key "$1" pause-queue || return 1
  # shellcheck disable=SC2086
  queues=$(queues_of "$host" "$list_key" $briefly) || return 1
  for queue in $(printf '%s' "$queues" | jq -r '.[].queue'); do
    # shellcheck disable=SC2086
    call "$key" POST "https://$host/api/queues/$queue/pause" --fail --data "$body" --output /dev/null $briefly || return 1
  done
}

# All apps are paused before the first one is waited for.
paused=
for app in $apps; do
  if pause_app "$app"; then
    echo "$app: its queues are paused for at most $pause_seconds s"
    paused="$paused $host=$list_key"
  else
    echo "$app: cannot be paused: it has no package yet, or does not answer. What it processes meanwhile is repeated later." >&2
  fi
done

for one in $paused; do
  host=${one%%=*} list_key=${one#*=}
  while queues=$(queues_of "$host" "$list_key" --retry-max-time 60 --max-time 60); do
    draining=$(printf '%s' "$queues" | jq -r '[.[] | select(.status == "draining") | .queue] | join(" ")')
    [ -n "$draining" ] || break
    if [ "$(date +%s)" -ge "$stop_at" ]; then
      echo "stopped waiting for $draining: their messages are repeated five minutes later" >&2
      break
    fi
    echo "waiting for the running slices of $draining"
    sleep 5
  done
done
