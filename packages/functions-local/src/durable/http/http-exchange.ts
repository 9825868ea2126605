import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';
import { finishedStates, type InstanceFilter, type RuntimeStatus, runningStates } from '../store/instances.ts';

/** A management request, of the RPC listener or of the webhooks. */
export interface Exchange {
  method: string;
  /** Decoded path segments below the base path. */
  path: string[];
  query: Query;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The answer to an Exchange. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON. If absent, the body is empty. */
  body?: unknown;
}

/** Query values. Names are compared without case. */
export class Query {
  readonly #values = new Map<string, string>();

  constructor(parameters: URLSearchParams) {
    for (const [name, value] of parameters) this.#values.set(name.toLowerCase(), value);
  }

  text(name: string): string | undefined {
    return this.#values.get(name.toLowerCase()) || undefined;
  }

  flag(name: string, fallback: boolean): boolean {
    return (this.text(name)?.toLowerCase() ?? String(fallback)) === 'true';
  }

  number(name: string): number | undefined {
    return this.#convert(name, 'a number', Number);
  }

  /** Reads a date as epoch milliseconds. */
  date(name: string): number | undefined {
    return this.#convert(name, 'a date', Date.parse);
  }

  #convert(name: string, expected: string, convert: (text: string) => number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = convert(text);
    if (Number.isNaN(value)) throw new RequestError(400, `${name}: expected ${expected}, got '${text}'`);
    return value;
  }
}

/** Reads the instance filter of a query. */
export function readFilter(query: Query): InstanceFilter {
  const createdFrom = query.date('createdTimeFrom');
  const createdTo = query.date('createdTimeTo');
  const statuses = query.text('runtimeStatus')?.split(',').map(readStatus);
  const idPrefix = query.text('instanceIdPrefix');
  return {
    ...(createdFrom === undefined ? {} : { createdFrom }),
    ...(createdTo === undefined ? {} : { createdTo }),
    ...(statuses ? { statuses } : {}),
    ...(idPrefix ? { idPrefix } : {}),
  };
}

function readStatus(text: string): RuntimeStatus {
  const wanted = text.trim().toLowerCase();
  const status = [...runningStates, ...finishedStates].find((state) => state.toLowerCase() === wanted);
  if (!status)
    throw new RequestError(
      400,
      `runtimeStatus: expected one of ${[...runningStates, ...finishedStates].join(', ')}, got '${text}'`,
    );
  return status;
}

/** Reads a request whose path starts with `base`. */
export async function readExchange(request: IncomingMessage, base: string): Promise<Exchange> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const path = url.pathname.slice(base.length).split('/').filter(Boolean).map(decodeSegment);
  const { method = 'GET', headers } = request;
  return { method, path, query: new Query(url.searchParams), headers, body: await readBody(request) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RequestError(400, `path: expected valid percent-encoding, got '${segment}'`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
