#!/bin/sh
# Usage: after-provision.sh <resource group> <service bus namespace> <topic>
# A new subscription starts with the match-all rule `$Default`. Deploying the first rule replaces it; where it did not,
# every pool would wake for every event. Run after each provisioning; it changes nothing when all is well.
set -eu
group=$1 namespace=$2 topic=$3

for subscription in $(az servicebus topic subscription list --resource-group "$group" --namespace-name "$namespace" \
  --topic-name "$topic" --query "[?starts_with(name, 'wake-')].name" --output tsv); do
  rules=$(az servicebus topic subscription rule list --resource-group "$group" --namespace-name "$namespace" \
    --topic-name "$topic" --subscription-name "$subscription" --query '[].name' --output tsv)
  case " $(echo "$rules" | tr '\n' ' ') " in
  *' queue-work-detected '*) ;;
  *) echo "$subscription: rule queue-work-detected is missing; provision again" >&2 && exit 1 ;;
  esac
  case " $(echo "$rules" | tr '\n' ' ') " in
  *' $Default '*)
    az servicebus topic subscription rule delete --resource-group "$group" --namespace-name "$namespace" \
      --topic-name "$topic" --subscription-name "$subscription" --name '$Default' --output none
    echo "$subscription: removed the match-all rule"
    ;;
  *) echo "$subscription: one rule, as wanted" ;;
  esac
done
