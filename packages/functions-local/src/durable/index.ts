export { createDurableBackend } from './backend.ts';
export type {
  DurableBackend,
  DurableBackendOptions,
  DurableFunctionKind,
  FaultPhase,
  InvokeRequest,
  RpcValue,
} from './types.ts';
