#!/bin/sh
# Usage: after-provision.sh <resource group> <service bus namespace> <topic> [<subscription id>]
# Run after each provisioning; it changes nothing when all is well. Needs az (signed in). The subscription is the last
# argument, else AZURE_SUBSCRIPTION_ID, else the one that az has selected.
# 1. A new Service Bus subscription starts with the match-all rule `$Default`. Deploying the first rule replaces it; where
#    it did not, every pool would wake for every event: the rule is removed.
# 2. Waits until the role that the first deployment needs is assigned to the identity of the apps.
set -eu
. "$(dirname "$0")/az.sh"
group=$1 namespace=$2 topic=$3
AZURE_SUBSCRIPTION_ID=${4:-${AZURE_SUBSCRIPTION_ID:-}}

subscriptions=$(azure servicebus topic subscription list --resource-group "$group" --namespace-name "$namespace" \
  --topic-name "$topic" --query "[?starts_with(name, 'wake-')].name" --output tsv) ||
  fail "az could not list the subscriptions of topic $topic in namespace $namespace"
[ -n "$subscriptions" ] || fail "topic $topic in namespace $namespace has no subscription wake-<pool>. Provision again."

while IFS= read -r subscription <&3; do
  rules=$(azure servicebus topic subscription rule list --resource-group "$group" --namespace-name "$namespace" \
    --topic-name "$topic" --subscription-name "$subscription" --query '[].name' --output tsv) ||
    fail "az could not list the rules of subscription $subscription"
  rules=" $(printf '%s' "$rules" | tr '\r\n' '  ') "
  case $rules in
  *' queue-work-detected '*) ;;
  *) fail "$subscription: rule queue-work-detected is missing. Provision again." ;;
  esac
  case $rules in
  *' $Default '*)
    azure servicebus topic subscription rule delete --resource-group "$group" --namespace-name "$namespace" \
      --topic-name "$topic" --subscription-name "$subscription" --name '$Default' --output none ||
      fail "$subscription: az could not remove the match-all rule"
    echo "$subscription: removed the match-all rule"
    ;;
  *) echo "$subscription: one rule, as wanted" ;;
  esac
done 3<<END
$(printf '%s' "$subscriptions" | tr -d '\r')
END

# A deployment to Flex Consumption is stored by the app's deployment service with the app's own identity, in the package
# container of the host account. That an assignment is listed does not say that storage knows it: publish-app.sh repeats
# a refused deployment for that reason.
role='Storage Blob Data Owner'
principals=$(azure functionapp list --resource-group "$group" \
  --query '[].identity.userAssignedIdentities.*.principalId[]' --output tsv) ||
  fail "az could not list the identities of the apps in resource group $group"
principals=$(printf '%s\n' "$principals" | tr -d '\r' | sort -u)
[ -n "$principals" ] || fail "the apps of resource group $group have no identity. Provision again."

is_assigned() {
  scopes=$(azure role assignment list --all --assignee "$1" --query "[?roleDefinitionName=='$role'].scope" --output tsv) ||
    fail "az could not list the role assignments of principal $1"
  [ -n "$scopes" ]
}

while IFS= read -r principal <&3; do
  wait_for "role $role of principal $principal, the identity of the apps" \
    "Was the role assigned? az role assignment list --all --assignee $principal; if not, provision again as somebody who may assign roles (docs/deploy.md, What you need)." \
    is_assigned "$principal"
  echo "role $role of the apps' identity: assigned"
done 3<<END
$principals
END
