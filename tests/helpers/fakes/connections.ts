/** Settings that name a storage account, and a Service Bus that is never asked. */
export const connectionsTo = (storage: string) => ({
  SluiceStorage: storage,
  SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=none;SharedAccessKey=none',
});
