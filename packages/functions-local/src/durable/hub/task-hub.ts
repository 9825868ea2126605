import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { readDurableConfig } from '../config.ts';
import { type Engine, startEngine } from '../engine.ts';
import { toError } from '../errors.ts';
import { FunctionNames } from '../function-names.ts';
import { isFromClient, listenForRpc } from '../http/http-server.ts';
import type { EngineOptions } from '../types.ts';
import { type ConnectedInstance, createConnectedInstance } from './connected-instance.ts';
import { type FromInstance, instancePath, onMessage, type Registration, send, upgradeToken } from './protocol.ts';
import { readRegistration } from './registration.ts';

/** Options of a task hub's process. */
export interface TaskHubOptions extends Pick<EngineOptions, 'file' | 'delays' | 'log' | 'fault'> {
  /** 0 selects a free port. */
  port: number;
  /** Maximum length of a message to an instance, in characters of JSON. Defaults to 256 Mi. */
  maxMessageChars?: number;
}

/** A task hub that waits for instances. */
export interface TaskHub {
  /** Without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts one task hub for all instances of an app. The store is open while at least one instance is connected. The first
 * instance brings the app's configuration. When all have disconnected, the next first one, which may be a new deployment,
 * brings its own.
 */
export async function startTaskHub(options: TaskHubOptions): Promise<TaskHub> {
  let running: Running | undefined;
  const instances = new Map<string, ConnectedInstance>();
  const lost = new Set<ConnectedInstance>();
  const sockets = new Set<Socket>();

  const register = (socket: Socket, registration: Registration): ConnectedInstance => {
    const { instance: name } = registration;
    if (instances.has(name)) throw new Error(`An instance with the name '${name}' is already connected`);
    running ??= startHub(options, registration);
    const { engine, config, configText, names } = running;
    // Registered for every instance: a later one may have newer code than the first.
    for (const { name, kind } of registration.functions) names.register(name, kind);
    if (configText !== JSON.stringify(registration.config)) {
      options.log(
        'warning',
        `'${name}' has a different host.json from the first instance. Its durableTask section is ignored.`,
      );
    }
    // With delays 'push', work that was lost when this instance died runs again as soon as it restarts.
    if (options.delays !== 'azure') for (const old of lost) if (old.name === name) forget(old, 'has restarted');
    const instance = createConnectedInstance({
      ...{ name, socket, config, maxMessageChars: options.maxMessageChars },
      onSilent: () => engine.detach(instance.worker),
      onAlive: () => engine.attach(instance.worker),
    });
    instances.set(name, instance);
    send(socket, { type: 'registered', aliveEveryMs: instance.aliveEveryMs });
    engine.attach(instance.worker);
    options.log('information', `Instance '${name}' is connected.`);
    return instance;
  };
  const forget = (instance: ConnectedInstance, reason: string): void => {
    lost.delete(instance);
    instance.giveUp(reason);
  };
  const disconnect = (instance: ConnectedInstance): void => {
    options.log('information', `Instance '${instance.name}' has disconnected.`);
    instance.disconnect();
    instances.delete(instance.name);
    lost.add(instance);
    for (const old of lost) if (old.isIdle()) lost.delete(old);
    running?.engine.detach(instance.worker);
    if (instances.size > 0) return;
    // Closed first: what is lost now must not change the store, which holds the visibility timeouts.
    running?.engine.close();
    running = undefined;
    for (const old of [...lost]) forget(old, 'has disconnected');
  };
  const accept = (socket: Socket, head: Buffer): void => {
    let instance: ConnectedInstance | undefined;
    sockets.add(socket);
    // An HTTP server keeps its half of a connection open.
    socket.once('end', () => socket.end());
    socket.on('error', (error) => options.log('warning', `Connection of an instance: ${error.message}`));
    socket.once('close', () => {
      sockets.delete(socket);
      if (instance) disconnect(instance);
    });
    onMessage<FromInstance>(socket, head, (message) => {
      if (message.type === 'register') {
        try {
          instance = register(socket, readRegistration(message));
        } catch (error: unknown) {
          send(socket, { type: 'refused', message: toError(error).message });
          socket.end();
        }
        return;
      }
      instance?.receive(message);
      if (!instance || message.type !== 'pause') return;
      running?.engine.detach(instance.worker);
      send(socket, { type: 'paused' });
    });
  };
  const rpc = await listenForRpc(() => running?.engine.core, options.port);
  rpc.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isFromClient(request) || request.url !== instancePath || request.headers.upgrade !== upgradeToken)
      return socket.destroy();
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgradeToken}\r\n\r\n`);
    accept(socket, head);
  });
  return {
    url: rpc.origin,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await rpc.close();
      running?.engine.close();
      running = undefined;
    },
  };
}

interface Running {
  engine: Engine;
  names: FunctionNames;
  config: ReturnType<typeof readDurableConfig>;
  configText: string;
}

function startHub({ file, delays, log, fault }: TaskHubOptions, registration: Registration): Running {
  const { config: raw, baseUrl, systemKey } = registration;
  const config = readDurableConfig(raw, availableParallelism());
  const names = new FunctionNames();
  const options: EngineOptions = {
    ...{ file, log, baseUrl, config: raw },
    ...(delays === undefined ? {} : { delays }),
    ...(fault === undefined ? {} : { fault }),
    ...(systemKey === undefined ? {} : { systemKey }),
  };
  return { engine: startEngine(options, config, names), names, config, configText: JSON.stringify(raw) };
}
