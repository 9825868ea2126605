// What calls somebody. docs/operations.md, "Alerts", has every event with its runbook section, and the price of the rules.

@description('Suffix of all names: environment and unique token.')
param suffix string

@description('Region of the log rules.')
param location string

@description('Tags of the rules.')
param tags object

@description('Workspace that holds the logs.')
param workspaceName string

@description('Namespace whose dead letters are watched.')
param serviceBusName string

@description('Storage accounts whose availability is watched.')
param accountNames string[]

@description('Function apps whose HTTP server errors are watched.')
param appNames string[]

@description('Action groups to call; may be empty.')
param actionGroupIds string[]

// The events that the app writes as JSON log lines; docs/operations.md has the same table and says what to do.
var events = loadJsonContent('../alerts.json')
// Billed by frequency: a quarter of an hour is the cheapest, and the sweep's own rhythm.
var every = 'PT15M'
var metricActions = [for id in actionGroupIds: { actionGroupId: id }]

// A severity belongs to a rule, and a rule is billed: so one rule for each severity, and not one for each event.
var severities = [
  { severity: 0, meaning: 'a fault of the pipeline' }
  { severity: 1, meaning: 'work does not end without an operator' }
  { severity: 2, meaning: 'to look at on the same day' }
]
var eventLists = map(severities, level =>
  join(map(filter(events, alert => alert.severity == level.severity), alert => '"${alert.event}"'), ', ')
)

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' existing = {
  name: workspaceName
}

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

resource accounts 'Microsoft.Storage/storageAccounts@2025-06-01' existing = [
  for name in accountNames: {
    name: name
  }
]

resource apps 'Microsoft.Web/sites@2025-03-01' existing = [
  for name in appNames: {
    name: name
  }
]

// From warnings on: a pause is logged as information when an operator asked for it. Split by `event`, so that each event is an
// alert of its own and the mail names it. The query is not validated when deployed: on a new workspace the table does not
// exist before the first log line.
resource eventRules 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for (level, index) in severities: {
    name: 'sluice-events-${level.severity}-${suffix}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Sluice: events of severity ${level.severity}'
      description: 'An event of severity ${level.severity}: ${level.meaning}. The dimension "event" says which; docs/operations.md says what to do.'
      severity: level.severity
      enabled: true
      scopes: [workspace.id]
      evaluationFrequency: every
      windowSize: every
      autoMitigate: false
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: 'AppTraces | where SeverityLevel >= 2 and Message has_any (${eventLists[index]}) | extend event = tostring(parse_json(Message).event) | where event in (${eventLists[index]})'
            timeAggregation: 'Count'
            dimensions: [{ name: 'event', operator: 'Include', values: ['*'] }]
            operator: 'GreaterThan'
            threshold: 0
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: actionGroupIds }
    }
  }
]

// Without logs the rules above are blind, so the end of the quota is an alert itself. A rule of its own: its table is another
// one, and a query that joins both would lose every alert of a severity if one part failed.
resource quotaRule 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = {
  name: 'sluice-log-quota-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Sluice: log quota reached'
    description: 'The daily quota of the workspace is used up; until tomorrow no log line arrives and no other log alert can fire.'
    severity: 2
    enabled: true
    scopes: [workspace.id]
    evaluationFrequency: every
    windowSize: every
    autoMitigate: false
    skipQueryValidation: true
    criteria: {
      allOf: [
        {
          query: '_LogOperation | where Category =~ "Ingestion" | where Detail has "OverQuota"'
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
          failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
        }
      ]
    }
    actions: { actionGroups: actionGroupIds }
  }
}

// A wake event in the dead-letter queue was tried ten times or lay for an hour: the app does not start, or fails at once.
// Waiting messages are no signal: Azure counts them for the topic as a whole, and a subscriber of another system may let
// its own wait for days.
resource deadWakes 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: 'sluice-dead-wakes-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    description: 'A wake event was dead-lettered: the app does not take its events.'
    severity: 1
    enabled: true
    scopes: [namespace.id]
    evaluationFrequency: every
    windowSize: every
    autoMitigate: true
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          criterionType: 'StaticThresholdCriterion'
          name: 'dead-letters'
          metricNamespace: 'Microsoft.ServiceBus/namespaces'
          metricName: 'DeadletteredMessages'
          timeAggregation: 'Maximum'
          operator: 'GreaterThan'
          threshold: 0
        }
      ]
    }
    actions: metricActions
  }
}

// The pipeline repeats what fails in storage and writes no event while it still succeeds; this is what reports an outage, and
// of throttling that does not pass. Host account, too: without it no app starts, and none can log.
resource storageAvailability 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for (name, index) in accountNames: {
    name: 'sluice-storage-${name}'
    location: 'global'
    tags: tags
    properties: {
      description: 'Of the requests to storage account ${name} more than one of a hundred failed on the service\'s side.'
      severity: 2
      enabled: true
      scopes: [accounts[index].id]
      evaluationFrequency: every
      windowSize: every
      autoMitigate: true
      criteria: {
        'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
        allOf: [
          {
            criterionType: 'StaticThresholdCriterion'
            name: 'availability'
            metricNamespace: 'Microsoft.Storage/storageAccounts'
            metricName: 'Availability'
            timeAggregation: 'Average'
            operator: 'LessThan'
            threshold: 99
          }
        ]
      }
      actions: metricActions
    }
  }
]

// More than ten: a single 503 is how an instance asks a client to come again. Not validated when deployed: whether Flex
// Consumption emits this metric of App Service could not be tried.
resource serverErrors 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for (name, index) in appNames: {
    name: 'sluice-http-${name}'
    location: 'global'
    tags: tags
    properties: {
      description: 'App ${name} answered more than ten requests with a server error within a quarter of an hour.'
      severity: 2
      enabled: true
      scopes: [apps[index].id]
      evaluationFrequency: every
      windowSize: every
      autoMitigate: true
      criteria: {
        'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
        allOf: [
          {
            criterionType: 'StaticThresholdCriterion'
            name: 'server-errors'
            metricNamespace: 'Microsoft.Web/sites'
            metricName: 'Http5xx'
            timeAggregation: 'Total'
            operator: 'GreaterThan'
            threshold: 10
            skipMetricValidation: true
          }
        ]
      }
      actions: metricActions
    }
  }
]
