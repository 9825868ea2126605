/** A local host for Azure Functions apps of the Node v4 model. */
import '../check-node.ts';

export { HostStartError } from './errors.ts';
export type { HostOptions, RunningHost } from './host-options.ts';
export type { HostedFunction } from './hosted-function.ts';
export type { HostKeys } from './http/keys.ts';
export { startHost } from './start/start-host.ts';
