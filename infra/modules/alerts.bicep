@description('Token of the environment, for the names.')
param token string

@description('Region of the log rules.')
param location string

@description('Tags of the rules.')
param tags object

@description('Workspace that holds the logs.')
param workspaceName string

@description('Namespace whose dead letters are watched.')
param serviceBusName string

@description('Action groups to call; may be empty.')
param actionGroupIds string[]

// The events that the app writes as JSON log lines; docs/operations.md has the same table and says what to do.
var events = loadJsonContent('../alerts.json')
// Billed by frequency: a quarter of an hour is the sweep's own rhythm.
var every = 'PT15M'

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' existing = {
  name: workspaceName
}

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

// From warnings on: a pause is logged as information when an operator asked for it. The query is not validated when deployed: on a new workspace the table does not exist before the first log line.
resource eventRules 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for alert in events: {
    name: 'sluice-${alert.event}-${token}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Sluice: ${alert.event}'
      description: alert.summary
      severity: alert.severity
      enabled: true
      scopes: [workspace.id]
      evaluationFrequency: every
      windowSize: every
      autoMitigate: false
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: 'AppTraces | where SeverityLevel >= 2 and Message has "${alert.event}" | where tostring(parse_json(Message).event) == "${alert.event}"'
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
]

// Without logs the rules above are blind, so the end of the quota is an alert itself.
resource quotaRule 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = {
  name: 'sluice-log-quota-${token}'
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
resource deadWakes 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: 'sluice-dead-wakes-${token}'
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
    actions: [for id in actionGroupIds: { actionGroupId: id }]
  }
}
