/** For tests of an app: run its functions and orchestrators in the test's own process. */
import '../check-node.ts';

export { invokeRegistered, type RegisteredFunction, registeredFunctions } from './functions-core.ts';
export { runOrchestrator } from './run-orchestrator.ts';
