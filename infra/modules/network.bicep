// Private networking: a virtual network for the apps' outbound calls and for private endpoints, and the DNS zones of the
// endpoints. docs/deploy.md, "Private networking", contains the address plan.

@description('Name of the virtual network.')
param name string

@description('Region of the virtual network, which must be that of the apps.')
param location string

@description('Tags of the resources.')
param tags object

@description('Addresses of the virtual network in CIDR notation.')
param addressSpace string

@description('Name of the subnet for private endpoints.')
param endpointSubnet string

@description('Names of the subnets for apps, one per pool.')
param appSubnets string[]

@description('Names of the DNS zones.')
param zoneNames string[]

@description('Suffix of all names: environment and unique token.')
param suffix string

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressSpace] }
    // Declared here and not as separate resources: a deployment replaces the whole list, so two declarations would conflict.
    subnets: concat(
      [
        {
          name: endpointSubnet
          properties: {
            // 59 addresses, for seven endpoints and one per pool.
            addressPrefix: cidrSubnet(addressSpace, 26, 0)
            privateEndpointNetworkPolicies: 'Disabled'
            // Endpoints only receive; default outbound access would only serve virtual machines added to this subnet.
            defaultOutboundAccess: false
          }
        }
      ],
      // Microsoft recommends a /27 per app (27 gateways, up to 1,000 instances); apps in the same subnet share its throughput.
      map(appSubnets, (subnet, index) => {
        name: subnet
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 27, index + 2)
          delegations: [{ name: 'flex-consumption', properties: { serviceName: 'Microsoft.App/environments' } }]
        }
      })
    )
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zoneNames: {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in zoneNames: {
    parent: zones[index]
    name: 'link-${suffix}'
    location: 'global'
    tags: tags
    properties: {
      virtualNetwork: { id: network.id }
      registrationEnabled: false
    }
  }
]
