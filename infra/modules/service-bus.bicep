@description('Name of the namespace.')
param name string

@description('Region of the namespace.')
param location string

@description('Tags of the namespace.')
param tags object

@description('Whether only private endpoints lead to the namespace. They exist in the tier Premium alone, which is billed by messaging unit and hour.')
param privateOnly bool

@description('Name of the topic that carries the events.')
param topicName string

@description('Names of the pools; each gets a subscription of its own.')
param pools string[]

@description('Names of the subscriptions, in the order of the pools.')
param subscriptionNames string[]

@description('Storage account whose queues the events are about; a listener ignores events of another account.')
param account string

// Standard is the smallest tier with topics; Premium adds private endpoints for about seventy times the base price. Azure does
// not change the tier of a namespace in place, so the choice is made with the environment. Zone redundancy is no choice: in
// a region with zones every namespace has it, and the property `zoneRedundant` is being deprecated.
resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: privateOnly ? { name: 'Premium', tier: 'Premium', capacity: 1 } : { name: 'Standard', tier: 'Standard' }
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
  }
}

resource topic 'Microsoft.ServiceBus/namespaces/topics@2024-01-01' = {
  parent: namespace
  name: topicName
  properties: {
    // Cannot be switched on later: a derived MessageId (BatchCompleted, ItemsDeadLettered) is then seen once in the window.
    requiresDuplicateDetection: true
    duplicateDetectionHistoryTimeWindow: 'PT10M'
    // The longest of Standard: a subscription's own time to live can only be shorter, and subscribers to BatchCompleted may want days.
    defaultMessageTimeToLive: 'P14D'
    enableBatchedOperations: true
    supportOrdering: false
    maxSizeInMegabytes: 1024
  }
}

// One after the other, and the rules, too: the service refuses changes of one topic at the same time (conflict 40901).
@batchSize(1)
resource subscriptions 'Microsoft.ServiceBus/namespaces/topics/subscriptions@2024-01-01' = [
  for name in subscriptionNames: {
    parent: topic
    name: name
    properties: {
      lockDuration: 'PT1M'
      maxDeliveryCount: 10
      // A wake that nobody took within an hour is void: the sweep has long found the queue. It is kept as a dead letter, so that it is noticed.
      defaultMessageTimeToLive: 'PT1H'
      deadLetteringOnMessageExpiration: true
      deadLetteringOnFilterEvaluationExceptions: true
      requiresSession: false
      enableBatchedOperations: true
    }
  }
]

// The first rule deployed takes the place of the match-all rule `$Default` that a new subscription starts with. Until then
// every event matches, so the app checks account and pool as well; infra/after-provision.sh makes sure that none is left.
@batchSize(1)
resource rules 'Microsoft.ServiceBus/namespaces/topics/subscriptions/rules@2024-01-01' = [
  for (pool, index) in pools: {
    parent: subscriptions[index]
    name: 'queue-work-detected'
    properties: {
      filterType: 'CorrelationFilter'
      correlationFilter: {
        properties: {
          type: 'QueueWorkDetected'
          pool: pool
          account: account
        }
      }
    }
  }
]
