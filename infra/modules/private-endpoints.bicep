@description('A private endpoint to make.')
type endpointType = {
  @description('Name without prefix and suffix.')
  name: string

  @description('Resource id of the service that it leads to.')
  target: string

  @description('Part of the service, as Private Link names it.')
  group: 'blob' | 'queue' | 'table' | 'namespace' | 'sites'
}

@description('Suffix of all names: environment and unique token.')
param suffix string

@description('Region of the endpoints: that of their virtual network.')
param location string

@description('Tags of the endpoints.')
param tags object

@description('Resource id of the subnet that they take an address of.')
param subnetId string

@description('Resource id of the DNS zone that gets the addresses, by part of the service.')
param zoneIds { *: string }

@description('The endpoints.')
param endpoints endpointType[]

// One after the other: at the same time they lock the storage account (StorageAccountOperationInProgress, Azure/
// bicep-registry-modules#6001) and change their subnet (ReferencedResourceNotProvisioned, Azure/bicep-ptn-aiml-landing-zone#41).
@batchSize(1)
resource privateEndpoints 'Microsoft.Network/privateEndpoints@2024-07-01' = [
  for endpoint in endpoints: {
    name: 'pep-${endpoint.name}-${suffix}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      customNetworkInterfaceName: 'nic-${endpoint.name}-${suffix}'
      privateLinkServiceConnections: [
        {
          name: endpoint.name
          properties: { privateLinkServiceId: endpoint.target, groupIds: [endpoint.group] }
        }
      ]
    }
  }
]

// Writes the endpoint's addresses into the zone, and takes them out again with the endpoint.
resource zoneGroups 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-07-01' = [
  for (endpoint, index) in endpoints: {
    parent: privateEndpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [{ name: endpoint.group, properties: { privateDnsZoneId: zoneIds[endpoint.group] } }]
    }
  }
]
