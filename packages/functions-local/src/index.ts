/** Starts a local stack for a Functions app of the Node v4 model, or one part of it. */
import './check-node.ts';

export { freePort } from './ports.ts';
export { createRandom, pick } from './random.ts';
export { emptyDataFolder } from './stack/data-folder.ts';
export type { Instance, InstanceState } from './stack/instances.ts';
export { PortInUseError } from './stack/kept-ports.ts';
export { type Part, startPart } from './stack/part.ts';
export { FILES, FIRST_HOST, type HostLaunch, launchBroker, launchHost, launchStorage, logFile } from './stack/parts.ts';
export { ProcessStartError, type RunningProcess, startProcess } from './stack/process/process.ts';
export type {
  Connections,
  LocalStack,
  PartialStack,
  PartialStackOptions,
  ReloadableOptions,
  ReloadableStack,
  StackKeys,
  StackOptions,
} from './stack/stack-options.ts';
export { readKeys, startReloadableStack, startStack } from './stack/start.ts';
export { startAzurite } from './stack/storage/azurite.ts';
export { makeStorage, type StorageLayout } from './stack/storage/make-storage.ts';
export { type LocalStorage, type StorageOptions, startStorage } from './stack/storage/start-storage.ts';
export * from './storage/index.ts';
