/** Settings with a storage account, and with a Service Bus that is never called. */
export const connectionsTo = (storage: string) => ({
  SluiceStorage: storage,
  SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=none;SharedAccessKey=none',
});
