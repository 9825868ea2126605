/** The interface between the Functions host and the durable backend. Neither depends on anything else of the other. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type DurableFunctionKind = 'orchestrator' | 'activity';

/** A worker's result in the worker protocol (RpcTypedData). At most one key is set. */
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
  /** The trigger's data, which the worker receives as `{ string }`. */
  input: string;
  instanceId: string;
}

/** The phase of an operation at which a fault may be injected: before its effect, or after it (the answer is lost). */
export type FaultPhase = 'before' | 'after';

/** The options of a task hub's engine, wherever its workers run. */
export interface EngineOptions {
  /** Path of the SQLite file, or ':memory:'. */
  file: string;
  /** host.json's `extensions.durableTask`, with resolved settings. */
  config: Record<string, unknown>;
  /** Origin of the host's own listener, for example `http://127.0.0.1:7071`. The management API is below it. */
  baseUrl: string;
  log: (level: 'debug' | 'information' | 'warning' | 'error', message: string) => void;
  /** 'push' (the default) dispatches work immediately. 'azure' waits as the Azure Storage provider's polling would. */
  delays?: 'push' | 'azure';
  /**
   * Key that the webhook routes require, and that the links contain. If absent, no key is checked. The RPC listener never
   * checks one.
   */
  systemKey?: string;
  /** Accepted by the webhook routes, too. */
  masterKey?: string;
  /** Called before and after every operation that changes state. If it throws, the operation fails there. For fault tests. */
  fault?: (operation: string, phase: FaultPhase) => void | Promise<void>;
}

export interface DurableBackendOptions extends EngineOptions {
  /** Runs one function and returns its `returnValue`. Rejects with the function's error. */
  invoke: (request: InvokeRequest) => Promise<RpcValue | undefined>;
}

export interface DurableBackend {
  register(name: string, kind: DurableFunctionKind): void;
  start(): Promise<void>;
  /** Stops accepting work. Running work continues. */
  pause(): void;
  /** Stops accepting work and waits for running work, at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  /** The value of a `durableClient` input binding, a JSON string. */
  clientBinding(): string;
  /** Answers a request below `/runtime/webhooks/durabletask`. Returns false for any other path. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}
