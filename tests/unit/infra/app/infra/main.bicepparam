using './main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'orders')
param location = readEnvironmentVariable('AZURE_LOCATION', 'northeurope')
param alertEmail = readEnvironmentVariable('ORDERS_ALERT_EMAIL', '')
