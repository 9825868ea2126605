// Sends resource logs and platform metrics of every service to the workspace. Off by default, because ingestion is billed and
// storage logs one row per request: docs/deploy.md, "Diagnostic settings".

@description('Workspace that receives logs and metrics.')
param workspaceName string

@description('Storage accounts.')
param accountNames string[]

@description('Service Bus namespace.')
param serviceBusName string

@description('Function apps.')
param appNames string[]

// The same name for all: a setting is a child of its resource, and a second one with the same workspace would be billed twice.
var settingName = 'sluice'
var storageLogs = {
  workspaceId: workspace.id
  logs: [{ categoryGroup: 'allLogs', enabled: true }]
  metrics: [{ category: 'Transaction', enabled: true }]
}
var allLogs = {
  workspaceId: workspace.id
  logs: [{ categoryGroup: 'allLogs', enabled: true }]
  metrics: [{ category: 'AllMetrics', enabled: true }]
}

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' existing = {
  name: workspaceName
}

resource accounts 'Microsoft.Storage/storageAccounts@2025-06-01' existing = [
  for name in accountNames: {
    name: name
  }
]

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' existing = [
  for (name, index) in accountNames: {
    parent: accounts[index]
    name: 'default'
  }
]

resource queues 'Microsoft.Storage/storageAccounts/queueServices@2025-06-01' existing = [
  for (name, index) in accountNames: {
    parent: accounts[index]
    name: 'default'
  }
]

resource tables 'Microsoft.Storage/storageAccounts/tableServices@2025-06-01' existing = [
  for (name, index) in accountNames: {
    parent: accounts[index]
    name: 'default'
  }
]

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' existing = {
  name: serviceBusName
}

resource apps 'Microsoft.Web/sites@2025-03-01' existing = [
  for name in appNames: {
    name: name
  }
]

resource blobSettings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = [
  for (name, index) in accountNames: {
    scope: blobs[index]
    name: settingName
    properties: storageLogs
  }
]

resource queueSettings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = [
  for (name, index) in accountNames: {
    scope: queues[index]
    name: settingName
    properties: storageLogs
  }
]

resource tableSettings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = [
  for (name, index) in accountNames: {
    scope: tables[index]
    name: settingName
    properties: storageLogs
  }
]

resource busSettings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: namespace
  name: settingName
  properties: allLogs
}

resource appSettings 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = [
  for (name, index) in appNames: {
    scope: apps[index]
    name: settingName
    properties: allLogs
  }
]
