/** For tests of an app: runs its functions and orchestrators in the test's process. */
import '../check-node.ts';

export { invokeRegistered, type RegisteredFunction, registeredFunctions } from './functions-core.ts';
export { runOrchestrator } from './run-orchestrator.ts';
