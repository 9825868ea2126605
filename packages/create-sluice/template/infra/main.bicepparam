// azd sets the first two. docs/deploy.md of Sluice lists every parameter of the module.
using './main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', '{name}')
param location = readEnvironmentVariable('AZURE_LOCATION', 'northeurope')
param durableBackend = readEnvironmentVariable('SLUICE_DURABLE_BACKEND', 'azureStorage')
param alertEmail = readEnvironmentVariable('SLUICE_ALERT_EMAIL', '')
