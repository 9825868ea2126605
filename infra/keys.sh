#!/bin/sh
# Usage: keys.sh <resource group> <app> set|remove client|operator|both <name>
# Sets or removes the key of a caller on every function of a class; the key has the name of the caller and one value for all
# functions. `set` creates a new value and prints it once; running it again replaces the value. Needs az (signed in) and
# openssl. The subscription is AZURE_SUBSCRIPTION_ID, otherwise the one selected in az.
# The classes are those of the table "Ways in" of docs/security.md; both is for users of the dashboard, which uses a single key.
set -eu
. "$(dirname "$0")/az.sh"
. "$(dirname "$0")/key-classes.sh"
group=$1 app=$2 action=$3 class=$4 name=$5

case $class in
client) functions=$client ;;
operator) functions=$operator ;;
both) functions="$client $operator" ;;
*) echo "expected client, operator or both, got $class" >&2 && exit 2 ;;
esac

case $action in
set) value=$(openssl rand -hex 32) ;;
remove) value= ;;
*) echo "expected set or remove, got $action" >&2 && exit 2 ;;
esac

for function in $functions; do
  if [ "$action" = set ]; then
    azure functionapp function keys set --resource-group "$group" --name "$app" --function-name "$function" \
      --key-name "$name" --key-value "$value" --output none
  else
    azure functionapp function keys delete --resource-group "$group" --name "$app" --function-name "$function" \
      --key-name "$name" --output none
  fi
done
if [ "$action" = set ]; then echo "$value"; fi
