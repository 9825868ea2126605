#!/bin/sh
# Usage: keys.sh <resource group> <app> set|remove client|operator|both <name> [--no-restart]
# Sets or removes the key of a caller on every function of a class; the key has the name of the caller and one value for all
# functions. `set` creates a new value and prints it once; running it again replaces the value. Needs az (signed in) and
# openssl. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
# The classes are those of the table "Ways in" of docs/security.md; both is for users of the dashboard, which uses a single key.
#
# Run an interrupted call again: `remove` skips functions without the key, and `set` continues with the value of the first
# function if another one does not have it. The order matters: `remove` also starts with the first function, so that `set`
# never continues with a value that was being removed.
#
# A running instance accepts a value that it has seen until it ends (Azure/azure-functions-host#4213). Therefore, the app is
# restarted after a value was removed or replaced, unless --no-restart is given. It finds a new value within a minute.
set -eu
. "$(dirname "$0")/az.sh"
. "$(dirname "$0")/key-classes.sh"
group=$1 app=$2 action=$3 class=$4 name=$5 restart=${6:-}

case $class in
client) functions=$client ;;
operator) functions=$operator ;;
both) functions="$client $operator" ;;
*) echo "expected client, operator or both, got $class" >&2 && exit 2 ;;
esac
case $action in
set | remove) ;;
*) echo "expected set or remove, got $action" >&2 && exit 2 ;;
esac
case $name in
*[!A-Za-z0-9_.-]*) echo "expected a name of letters, digits, '_', '.' and '-', got $name" >&2 && exit 2 ;;
esac

# present <function>: prints the value of the key; nothing if the function does not have it.
present() {
  listed=$(azure functionapp function keys list --resource-group "$group" --name "$app" --function-name "$1" \
    --query "\"$name\"" --output tsv) || fail "az could not list the keys of function $1 of app $app"
  printf '%s' "$listed" | tr -d '\r'
}

first='' values='' differs=false ended=false
for function in $functions; do
  found=$(present "$function")
  [ -n "$values" ] || first=$found
  [ "$found" = "$first" ] || differs=true
  # One value per line, in the order of the functions.
  values="$values$found
"
done
if [ "$action" = remove ]; then
  # Even if no function has the key: the earlier call may have ended before the restart.
  value='' ended=true
else
  value=$(openssl rand -hex 32)
  if [ -n "$first" ] && [ "$differs" = true ]; then
    value=$first ended=true
    echo "continues an interrupted call with its value; run it again to replace the value" >&2
  fi
fi

for function in $functions; do
  found=${values%%
*}
  values=${values#*
}
  [ "$found" != "$value" ] || continue
  [ -z "$found" ] || ended=true
  if [ "$action" = set ]; then
    azure functionapp function keys set --resource-group "$group" --name "$app" --function-name "$function" \
      --key-name "$name" --key-value "$value" --output none
  else
    azure functionapp function keys delete --resource-group "$group" --name "$app" --function-name "$function" \
      --key-name "$name" --output none
  fi
done
if [ "$ended" = true ] && [ "$restart" != --no-restart ]; then
  echo "restarting $app: its running instances accept the earlier value of the key until then" >&2
  azure functionapp restart --resource-group "$group" --name "$app" --output none
fi
if [ "$action" = set ]; then echo "$value"; fi
