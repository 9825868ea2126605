import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { readDurableConfig } from '../config.ts';
import { toError, WorkerLostError } from '../errors.ts';
import { rpcPath } from '../http/http-server.ts';
import { clientBindingText, isWebhook, toUrlSource, webhookPath } from '../http/urls.ts';
import { isWebhookOpen } from '../http/webhook-key.ts';
import type { DurableBackend, DurableBackendOptions, DurableFunctionKind, InvokeRequest } from '../types.ts';
import { type HubConnection, openHubConnection } from './hub-connection.ts';
import type { FromInstance, Registration } from './protocol.ts';

const DEFAULT_GRACE_MS = 10_000;
const RECONNECT_MS = 250;

/** Options of an instance that shares its task hub with other instances. */
export interface RemoteBackendOptions extends Omit<DurableBackendOptions, 'file' | 'delays' | 'fault'> {
  /** Origin of the task hub's process. */
  hubUrl: string;
  /** Name of this instance, which stays the same after a restart. */
  instance: string;
  /** Maximum length of a message to the hub, in characters of JSON. Defaults to 256 Mi. */
  maxMessageChars?: number;
}

/** Creates the backend of one of several hosts. It runs the invocations of the hub. Throws if the settings are not valid. */
export function createRemoteBackend(options: RemoteBackendOptions): DurableBackend {
  const config = readDurableConfig(options.config, availableParallelism());
  const functions: { name: string; kind: DurableFunctionKind }[] = [];
  const running = new Set<Promise<void>>();
  let connection: HubConnection | undefined;
  const stopping = new AbortController();

  const connect = async (): Promise<void> => {
    const { hubUrl, instance, config, baseUrl, systemKey, maxMessageChars } = options;
    const key = systemKey === undefined ? {} : { systemKey };
    const registration: Registration = { type: 'register', instance, config, baseUrl, functions, ...key };
    const opened = await openHubConnection({ hubUrl, registration, run, maxMessageChars, signal: stopping.signal });
    connection = opened;
    void opened.closed.then(reconnect);
  };
  const reconnect = async (): Promise<void> => {
    connection = undefined;
    if (!stopping.signal.aborted) {
      options.log('warning', `The task hub at ${options.hubUrl} closed the connection; reconnecting.`);
    }
    while (!stopping.signal.aborted && connection === undefined) {
      await delay(RECONNECT_MS, undefined, { ref: false });
      if (stopping.signal.aborted) return;
      await connect().catch((error: unknown) => options.log('debug', toError(error).message));
    }
  };
  /** Sends the result on the connection of the invocation: a restarted hub does not know the invocation. */
  const run = (from: HubConnection, id: number, request: InvokeRequest): void => {
    const work = options
      .invoke(request)
      .then((value) =>
        from.send({ type: 'returned', id, ...(value === undefined ? {} : { value: toJsonValue(value) }) }),
      )
      .catch((thrown: unknown) => from.send(toFailure(id, thrown)))
      // The error itself was too large. Without an answer, the hub would run the function repeatedly.
      .catch((thrown: unknown) => from.send(toFailure(id, thrown)));
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  return {
    register: (name, kind) => void functions.push({ name, kind }),
    start: connect,
    pause: () => {
      // Work from a hub that restarts in the meantime must not be accepted.
      stopping.abort();
      void connection?.pause();
    },
    stop: async (graceMs = DEFAULT_GRACE_MS) => {
      stopping.abort();
      const last = connection;
      if (!last) return;
      const drained = last.pause().then(async () => {
        while (running.size > 0) await Promise.all(running);
        await last.close();
      });
      await Promise.race([drained, delay(graceMs)]);
      // A hub that hangs must not block the stop.
      last.destroy();
      await last.closed;
    },
    clientBinding: () => clientBindingText(toUrlSource(options, config), `${options.hubUrl}${rpcPath}/`),
    handle: async (request, response) => {
      if (!isWebhook(request)) return false;
      if (!isWebhookOpen(request, options)) response.writeHead(401).end();
      else await forward(options.hubUrl, request, response);
      return true;
    },
  };
}

function toFailure(id: number, thrown: unknown): FromInstance {
  const { message, stack } = toError(thrown);
  if (thrown instanceof WorkerLostError) return { type: 'lost', id, message };
  return { type: 'threw', id, message, ...(stack === undefined ? {} : { stack }) };
}

/** Converts bytes to base64 JSON, as the engine would store them. JSON has no type for bytes. */
function toJsonValue(value: NonNullable<Awaited<ReturnType<DurableBackendOptions['invoke']>>>) {
  return value.bytes === undefined ? value : { json: JSON.stringify(Buffer.from(value.bytes).toString('base64')) };
}

/** Forwards a request of the management API to the hub, which answers it without checking a key. */
function forward(hubUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The hub accepts requests of local processes only. The host has checked already that the client may send this one.
  const { host: _host, origin: _origin, ...headers } = request.headers;
  const path = `${rpcPath}${(request.url ?? '').slice(webhookPath.length)}`;
  return new Promise((resolve) => {
    const onward = httpRequest(`${hubUrl}${path}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // If the hub's answer breaks off, the client's answer must break off too.
      answer.once('error', () => response.destroy());
      answer.pipe(response);
    });
    // The hub did not answer. The client must not be able to see whether there was an effect.
    onward.on('error', () => response.destroy());
    // A client that disconnects must not leave a request waiting at the hub.
    response.once('close', () => {
      onward.destroy();
      resolve();
    });
    request.pipe(onward);
  });
}
