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
    // Required, and empty would deny all: who may call is decided by role, as with the other services.
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

// A drain is disposable: its history is of use for a few days of fault finding, and the sweep purges after seven.
resource retention 'Microsoft.DurableTask/schedulers/retentionPolicies@2026-02-01' = {
  parent: scheduler
  name: 'default'
  properties: { retentionPolicies: [{ retentionPeriodInDays: 7 }] }
}
