/** The types that `@azure/functions` and a host exchange through `@azure/functions-core`. */

/** A value of the worker protocol (RpcTypedData). At most one key is set. */
export interface RpcData {
  string?: string;
  json?: string;
  bytes?: Uint8Array;
  int?: number;
  double?: number;
  http?: RpcHttp;
  collectionString?: { string: string[] };
  collectionBytes?: { bytes: Uint8Array[] };
  collectionSint64?: { sint64: number[] };
}

/** An HTTP request or response in buffered mode. */
export interface RpcHttp {
  url?: string;
  method?: string;
  nullableHeaders?: Record<string, { value: string }>;
  nullableQuery?: Record<string, { value: string }>;
  nullableParams?: Record<string, { value: string }>;
  body?: RpcData | null;
  statusCode?: string;
  headers?: Record<string, string>;
  cookies?: RpcCookie[];
}

export interface RpcCookie {
  name?: string;
  value?: string;
  maxAge?: { value: number };
  path?: { value: string };
  domain?: { value: string };
  expires?: { value: { seconds: number; nanos?: number } };
  secure?: { value: boolean };
  httpOnly?: { value: boolean };
  sameSite?: string | number;
}

/** A binding as the app registered it. Options besides `type` and `direction` depend on the type. */
export interface Binding {
  type: string;
  direction: 'in' | 'out';
  properties?: Record<string, string>;
  [option: string]: unknown;
}

export interface RetryOptions {
  retryStrategy: 'fixedDelay' | 'exponentialBackoff';
  /** -1 means no limit. */
  maxRetryCount: number;
  delayInterval?: { seconds: number };
  minimumInterval?: { seconds: number };
  maximumInterval?: { seconds: number };
}

export interface FunctionMetadata {
  name: string;
  functionId?: string;
  bindings: Record<string, Binding>;
  retryOptions?: RetryOptions;
}

export type FunctionCallback = (...args: unknown[]) => unknown;
export type HookCallback = (context: object) => unknown;

export type HookName = 'appStart' | 'appTerminate' | 'preInvocation' | 'postInvocation' | 'log';
export type LogLevel = 'trace' | 'debug' | 'information' | 'warning' | 'error' | 'critical' | 'none';
export type LogCategory = 'user' | 'system' | 'customMetric';
export type InvocationState = 'preInvocationHooks' | 'invocation' | 'postInvocationHooks' | undefined;

export interface RetryContext {
  retryCount: number;
  maxRetryCount: number;
  exception?: { message: string; source: string; stackTrace: string };
}

export interface TraceContext {
  traceParent: string;
  traceState: string;
  attributes: Record<string, string>;
}

/** The invocation that the model runs. */
export interface RpcInvocationRequest {
  invocationId: string;
  functionId: string;
  inputData: { name: string; data: RpcData }[];
  triggerMetadata: Record<string, RpcData>;
  traceContext: TraceContext;
  retryContext?: RetryContext;
}

export interface RpcInvocationResponse {
  invocationId: string;
  outputData?: { name: string; data: RpcData }[];
  returnValue?: RpcData | null;
}

/** The context that the model receives for one invocation. */
export interface CoreInvocationContext {
  invocationId: string;
  request: RpcInvocationRequest;
  metadata: FunctionMetadata;
  state: InvocationState;
  log(level: LogLevel, category: LogCategory, message: string): void;
}

export interface InvocationModel {
  getArguments(): Promise<{ context: object; inputs: unknown[] }>;
  invokeFunction(context: object, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: object, result: unknown): Promise<RpcInvocationResponse>;
}

export interface ProgrammingModel {
  name: string;
  version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel | Promise<InvocationModel>;
  getCapabilities?(
    capabilities: Record<string, string | undefined>,
  ): Record<string, string | undefined> | Promise<Record<string, string | undefined>>;
}
