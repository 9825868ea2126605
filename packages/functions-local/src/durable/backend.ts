import { availableParallelism } from 'node:os';
import { readDurableConfig } from './config.ts';
import { type Engine, startEngine } from './engine.ts';
import { FunctionNames } from './function-names.ts';
import { answer, listenForRpc, type RpcListener, rpcPath } from './http/http-server.ts';
import { clientBindingText, isWebhook, toUrlSource, webhookPath } from './http/urls.ts';
import { isWebhookOpen } from './http/webhook-key.ts';
import type { DurableBackend, DurableBackendOptions } from './types.ts';

const defaultGraceMs = 10_000;

interface Running {
  engine: Engine;
  rpc: RpcListener;
}

/** Creates a durable-task backend on one SQLite file, for the host that it runs in. Throws if the settings are not valid. */
export function createDurableBackend(options: DurableBackendOptions): DurableBackend {
  const config = readDurableConfig(options.config, availableParallelism());
  const names = new FunctionNames();
  let running: Running | undefined;

  function requireRunning(): Running {
    if (!running) throw new Error('The durable backend is not started');
    return running;
  }
  async function start(): Promise<Running> {
    const engine = startEngine(options, config, names);
    const limits = { orchestrator: config.maxConcurrentOrchestrators, activity: config.maxConcurrentActivities };
    engine.attach({ limits, invoke: options.invoke });
    const rpc = await listenForRpc(() => engine.core).catch((error: unknown) => {
      engine.close();
      throw error;
    });
    return { engine, rpc };
  }
  return {
    register: (name, kind) => names.register(name, kind),
    start: async () => {
      running ??= await start();
    },
    pause: () => running?.engine.pause(),
    stop: async (graceMs = defaultGraceMs) => {
      const stopping = running;
      running = undefined;
      if (!stopping) return;
      const { engine, rpc } = stopping;
      engine.pause();
      await engine.settle(graceMs);
      await rpc.close();
      engine.close();
    },
    clientBinding: () => clientBindingText(toUrlSource(options, config), `${requireRunning().rpc.origin}${rpcPath}/`),
    handle: async (request, response) => {
      if (!isWebhook(request)) return false;
      if (!isWebhookOpen(request, options)) response.writeHead(401).end();
      else await answer(requireRunning().engine.core, request, response, webhookPath);
      return true;
    },
  };
}
