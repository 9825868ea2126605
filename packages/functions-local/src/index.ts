/** Starts a local stack for a Functions app of the Node v4 model, or one part of it. */
import './check-node.ts';

export { freePort } from './ports.ts';
export { createRandom, pick } from './random.ts';
export { startAzurite } from './stack/azurite.ts';
export type { Instance, InstanceState } from './stack/instances.ts';
export { makeStorage, type StorageLayout } from './stack/make-storage.ts';
export { type Part, startPart } from './stack/part.ts';
export { FILES, FIRST_HOST, type HostLaunch, launchBroker, launchHost, launchStorage, logFile } from './stack/parts.ts';
export { type RunningProcess, startProcess } from './stack/process.ts';
export {
  type Connections,
  type LocalStack,
  readKeys,
  type StackKeys,
  type StackOptions,
  startStack,
} from './stack/start.ts';
export { type LocalStorage, type StorageOptions, startStorage } from './stack/start-storage.ts';
export * from './storage/index.ts';
