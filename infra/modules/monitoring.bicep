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

@description('Daily quota in gigabytes, after which ingestion stops until the next day; a decimal number as text, because Bicep has no decimals.')
param dailyQuotaGb string

@description('Email address for alerts; empty: no action group.')
param alertEmail string

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30
    // Limits the cost of many log lines. An alert fires when it is reached, because other log alerts cannot fire then.
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
    // Accepts telemetry only from the app's identity: the connection string alone does not allow to write.
    DisableLocalAuth: true
  }
}

// The charts described in docs/observability.md.
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
