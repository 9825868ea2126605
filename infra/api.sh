# shellcheck shell=sh
# Calls of the API of an app, for scripts that have loaded az.sh and have the resource group in $group.

# The reason of the pauses that pause.sh sets and resume.sh ends, which operators see.
# shellcheck disable=SC2034
deployment_reason='a deployment is under way'

# host_of <app>: prints the host name of an app.
host_of() {
  name=$(azure functionapp show --resource-group "$group" --name "$1" \
    --query 'defaultHostName || properties.defaultHostName' --output tsv) ||
    fail "az could not show app $1"
  name=$(printf '%s' "$name" | tr -d '\r')
  [ -n "$name" ] || fail "app $1 has no host name"
  printf '%s\n' "$name"
}

# find_key <app> <function>: sets $key, which is masked in the log of a pipeline. Fails if the app does not have the function:
# Azure knows the functions of a published package only after the host has started once.
find_key() {
  key=$(azure functionapp function keys list --resource-group "$group" --name "$1" --function-name "$2" \
    --query default --output tsv | tr -d '\r')
  [ -n "$key" ] || return 1
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::add-mask::$key"; fi
}

# call <key> <method> <url> [<curl option>...]: prints the answer, and repeats a call that fails for up to five minutes. The key
# is passed on standard input, so that the process list does not show it.
call() {
  call_key=$1 call_method=$2 call_url=$3
  shift 3
  printf 'header = "x-functions-key: %s"\n' "$call_key" |
    curl --config - --silent --show-error --retry 30 --retry-all-errors --retry-delay 10 --retry-max-time 300 \
      --request "$call_method" "$@" "$call_url"
}

# queues_of <host> <key of list-queues> [<curl option>...]: prints the queues of the app's pool, a JSON array.
queues_of() {
  queues_host=$1 queues_key=$2
  shift 2
  health=$(call "$queues_key" GET "https://$queues_host/api/health" --fail "$@") || return 1
  queues=$(call "$queues_key" GET "https://$queues_host/api/queues" --fail "$@") || return 1
  printf '%s' "$queues" | jq -c --argjson health "$health" \
    '[.queues[] | select($health.pool == null or .pool == $health.pool)]'
}
