@description('Name of the namespace.')
param name string

@description('Region of the namespace.')
param location string

@description('Tags of the namespace.')
param tags object

@description('Whether the namespace can be reached only through private endpoints. They require the Premium tier, which is billed per messaging unit and hour.')
param privateOnly bool

@description('Name of the topic of the events.')
param topicName string

@description('Names of the pools; each has its own subscription.')
param pools string[]

@description('Names of the subscriptions, in the order of the pools.')
param subscriptionNames string[]

@description('Storage account of the queues; a listener ignores events of other accounts.')
param account string

// Standard is the cheapest tier with topics; Premium adds private endpoints for about seventy times the base price. Azure cannot
// change the tier of a namespace in place, so it must be chosen when the environment is created. Zone redundancy is not an option:
// in a region with zones every namespace has it, and the property `zoneRedundant` is being deprecated.
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
    // Delivers a derived MessageId (BatchCompleted, ItemsDeadLettered) only once within the window. Cannot be enabled later.
    requiresDuplicateDetection: true
    duplicateDetectionHistoryTimeWindow: 'PT10M'
    // The maximum of Standard: the time to live of a subscription can only be shorter, and subscribers to BatchCompleted may need days.
    defaultMessageTimeToLive: 'P14D'
    enableBatchedOperations: true
    supportOrdering: false
    maxSizeInMegabytes: 1024
  }
}

// Subscriptions and rules are deployed one by one: the service refuses concurrent changes of a topic (conflict 40901).
@batchSize(1)
resource subscriptions 'Microsoft.ServiceBus/namespaces/topics/subscriptions@2024-01-01' = [
  for name in subscriptionNames: {
    parent: topic
    name: name
    properties: {
      lockDuration: 'PT1M'
      maxDeliveryCount: 10
      // A wake event that was not received within an hour is obsolete, because the sweep has found the queue. It becomes a dead
      // letter, so that the alert fires.
      defaultMessageTimeToLive: 'PT1H'
      deadLetteringOnMessageExpiration: true
      deadLetteringOnFilterEvaluationExceptions: true
      requiresSession: false
      enableBatchedOperations: true
    }
  }
]

// The first deployed rule replaces the match-all rule `$Default` of a new subscription. Until then, every event matches; therefore
// the app also checks account and pool, and sluice azure after-provision removes a remaining match-all rule.
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
