@description('Name of the workspace.')
param workspaceName string

@description('Name of the Application Insights component.')
param componentName string

@description('Name of the action group.')
param actionGroupName string

@description('Region of the resources.')
param location string

@description('Tags of the resources.')
param tags object

@description('Gigabytes per day after which ingestion stops until the next day; a decimal number as text, since Bicep has none.')
param dailyQuotaGb string

@description('Where alerts are mailed; empty: no action group is made.')
param alertEmail string

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30
    // The bound of what a storm of log lines can cost; an alert fires when it is reached, since other alerts are blind then.
    workspaceCapping: { dailyQuotaGb: json(dailyQuotaGb) }
    features: { disableLocalAuth: true, enableLogAccessUsingOnlyResourcePermissions: true }
  }
}

resource component 'Microsoft.Insights/components@2020-02-02' = {
  name: componentName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    // Telemetry is taken from the app's identity only: the connection string alone lets nobody write.
    DisableLocalAuth: true
  }
}

// The charts of docs/observability.md.
resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(resourceGroup().id, 'sluice-workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Sluice'
    category: 'workbook'
    sourceId: workspace.id
    version: 'Notebook/1.0'
    serializedData: loadTextContent('../workbook.json')
  }
}

resource mail 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(alertEmail)) {
  name: actionGroupName
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'sluice'
    enabled: true
    emailReceivers: [{ name: 'operator', emailAddress: alertEmail, useCommonAlertSchema: true }]
  }
}
