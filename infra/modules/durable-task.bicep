@description('Name of the scheduler.')
param name string

@description('Region of the scheduler.')
param location string

@description('Tags of the scheduler.')
param tags object

@description('Names of the task hubs, one per pool.')
param taskHubs string[]

resource scheduler 'Microsoft.DurableTask/schedulers@2026-02-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { name: 'Consumption' }
    // Required, and an empty list would deny all. Access is controlled by roles, as for the other services.
    ipAllowlist: ['0.0.0.0/0']
    publicNetworkAccess: 'Enabled'
  }
}

resource hubs 'Microsoft.DurableTask/schedulers/taskHubs@2026-02-01' = [
  for hub in taskHubs: {
    parent: scheduler
    name: hub
  }
]

// The history of a drain is useful only for a few days of troubleshooting; the sweep also purges after seven days.
resource retention 'Microsoft.DurableTask/schedulers/retentionPolicies@2026-02-01' = {
  parent: scheduler
  name: 'default'
  properties: { retentionPolicies: [{ retentionPeriodInDays: 7 }] }
}
