/** What the Functions host and the durable backend ask of each other; neither knows anything else of the other. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type DurableFunctionKind = 'orchestrator' | 'activity';

/** A worker's answer as it crosses the worker protocol (RpcTypedData): at most one key is set. */
export interface RpcValue {
  json?: string;
  string?: string;
  int?: number;
  double?: number;
  bytes?: Uint8Array;
}

export interface InvokeRequest {
  functionName: string;
  kind: DurableFunctionKind;
  /** The trigger's data, given to the worker as `{ string }`. */
  input: string;
  instanceId: string;
}

/** The phase of an operation at which a fault may be injected: before its effect, or after it (the answer is lost). */
export type FaultPhase = 'before' | 'after';

/** What the engine of a task hub needs, wherever its workers are. */
export interface EngineOptions {
  /** Path of the SQLite file, or ':memory:'. */
  file: string;
  /** host.json's `extensions.durableTask`, settings already resolved. */
  config: Record<string, unknown>;
  /** Origin of the host's own listener, e.g. `http://127.0.0.1:7071`; the management API answers below it. */
  baseUrl: string;
  log: (level: 'debug' | 'information' | 'warning' | 'error', message: string) => void;
  /** 'push' (default) hands work over at once; 'azure' waits as the Azure Storage provider's polling would. */
  delays?: 'push' | 'azure';
  /** Key that the webhook routes demand; none = not checked. The links carry it. The RPC listener is never keyed. */
  systemKey?: string;
  /** Opens the webhook routes, too. */
  masterKey?: string;
  /** Called round every state-changing operation; a throw makes it fail there. For fault tests. */
  fault?: (operation: string, phase: FaultPhase) => void | Promise<void>;
}

export interface DurableBackendOptions extends EngineOptions {
  /** Runs one function and gives its `returnValue`; rejects with what the function threw. */
  invoke: (request: InvokeRequest) => Promise<RpcValue | undefined>;
}

export interface DurableBackend {
  register(name: string, kind: DurableFunctionKind): void;
  start(): Promise<void>;
  /** Takes no more work; what runs goes on. */
  pause(): void;
  /** Takes no more work and waits for what runs, at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  /** The value of a `durableClient` input binding: a JSON string. */
  clientBinding(): string;
  /** Answers a request below `/runtime/webhooks/durabletask`; false when the path is not its own. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}
