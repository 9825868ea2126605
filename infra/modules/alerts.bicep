// Alert rules. docs/operations.md, "Alerts", lists every event with its runbook section, and the price of the rules.

@description('Suffix of all names: environment and unique token.')
param suffix string

@description('Region of the log rules.')
param location string

@description('Tags of the rules.')
param tags object

@description('Workspace of the logs.')
param workspaceName string

@description('Namespace whose dead letters are monitored.')
param serviceBusName string

@description('Storage accounts whose availability is monitored.')
param accountNames string[]

@description('Function apps whose HTTP server errors are monitored.')
param appNames string[]

@description('Action groups to call; may be empty.')
param actionGroupIds string[]

// The events that the app writes as JSON log lines; docs/operations.md has the same table, with instructions.
var events = loadJsonContent('../alerts.json')
// Rules are billed by frequency: 15 minutes is the cheapest, and also the interval of the sweep.
var every = 'PT15M'
var metricActions = [for id in actionGroupIds: { actionGroupId: id }]

// One rule per severity instead of one per event, because each rule is billed and a severity belongs to a rule.
var severities = [
  { severity: 0, meaning: 'a fault of the pipeline' }
  { severity: 1, meaning: 'work cannot finish without an operator' }
  { severity: 2, meaning: 'to be investigated on the same day' }
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

// Only warnings and errors: a pause by an operator is logged as information. Split by `event`, so that each event is a separate
// alert and the email contains it. The query is not validated at deployment, because the table of a new workspace does not exist
// before the first log line.
resource eventRules 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for (level, index) in severities: {
    name: 'sluice-events-${level.severity}-${suffix}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Sluice: events of severity ${level.severity}'
      description: 'An event of severity ${level.severity}: ${level.meaning}. The dimension "event" contains its name; docs/operations.md describes what to do.'
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

// Without logs, the rules above cannot fire, so reaching the quota is an alert. It is a separate rule because it reads a different
// table, and a query that joins both would lose every alert of a severity if one part failed.
resource quotaRule 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = {
  name: 'sluice-log-quota-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Sluice: log quota reached'
    description: 'The daily quota of the workspace is reached: no logs are ingested and no other log alert can fire until the next day.'
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

// A dead-lettered wake event was delivered ten times or waited for an hour: the app does not start, or fails immediately. Waiting
// messages are not used as a signal, because Azure counts them for the whole topic, and the messages of other subscribers may wait
// for days.
resource deadWakes 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: 'sluice-dead-wakes-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    description: 'A wake event was dead-lettered: the app does not process its events.'
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

// The pipeline retries failed storage operations and logs no event if a retry succeeds; this rule reports outages and permanent
// throttling. It includes the host account, without which no app can start or log.
resource storageAvailability 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for (name, index) in accountNames: {
    name: 'sluice-storage-${name}'
    location: 'global'
    tags: tags
    properties: {
      description: 'More than 1 % of the requests to storage account ${name} failed because of the service.'
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

// More than ten, because an instance answers 503 to ask a client to retry. Not validated at deployment, because it could not be
// tested whether Flex Consumption emits this metric of App Service.
resource serverErrors 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for (name, index) in appNames: {
    name: 'sluice-http-${name}'
    location: 'global'
    tags: tags
    properties: {
      description: 'App ${name} answered more than ten requests with a server error within 15 minutes.'
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
