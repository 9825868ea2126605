/** A strict proxy in front of Azurite. See README.md. */
export type { CutAnswer, Intercept, Outcome, StorageAnswer, StorageCall, StorageService } from './call.ts';
export { headerOf } from './call.ts';
export type { ClientOptions, FrontClient } from './client.ts';
export { connectionString, EMULATOR_ACCOUNT, type ServicePorts, type StorageAccount } from './connection-string.ts';
export { type DrawOptions, drawFaults, injectFaults, type PlannedFault } from './faults/fault-plan.ts';
export {
  carryOut,
  FAULT_KINDS,
  FAULT_STATUSES,
  type FaultKind,
  type FaultStatus,
  type StorageFault,
} from './faults/faults.ts';
export { createStorageFront, type FrontOptions, type StorageFront } from './front.ts';
export { FULL_PAGES, type PagePolicy, STRICT_PAGES } from './pages.ts';
export {
  createThrottle,
  DOCUMENTED_LIMITS,
  type Throttle,
  type ThrottledResource,
  type ThrottleLimits,
} from './rules/throttle.ts';
