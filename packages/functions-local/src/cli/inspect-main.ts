/** Loads an app in a separate process and sends to its parent what the app registers. No function runs. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createCoreModule, supplyCoreModule } from '../host/app/core-module.ts';
import { loadFiles } from '../host/app/load-app.ts';
import { planApp } from '../host/app/plan-app.ts';
import type { PlannedFunction } from '../host/app/plan-functions.ts';
import { createRegistry } from '../host/app/registry.ts';
import { hasDurableBindings, readDurableSection } from '../host/durable/start-durable.ts';
import { HostStartError, toError } from '../host/errors.ts';
import { createInvoker } from '../host/invocation/invoker.ts';
import { createTimeLimit } from '../host/invocation/time-limit.ts';
import { wireFunctions } from '../host/listeners.ts';
import { createHostLog } from '../host/log/host-log.ts';
import { readServiceBusTrigger } from '../host/service-bus/service-bus-trigger.ts';
import type { ServiceBusConfig } from '../host/settings/host-json.ts';
import { loadSettings } from '../host/start/load-settings.ts';
import type { InspectedFunction, Inspection } from './inspection.ts';

async function inspect(appFolder: string): Promise<Inspection> {
  const { config } = loadSettings({ appFolder, stateDir: appFolder, localSettings: false });
  const registry = createRegistry();
  const log = createHostLog(
    () => {},
    () => false,
  );
  supplyCoreModule(createCoreModule(registry, log));
  await loadFiles(appFolder);
  const planned = planApp(registry, config, process.env);
  // Creates routes, schedules and triggers to find their errors, but starts none of them.
  const invoker = createInvoker(registry, log, createTimeLimit());
  const wiring = wireFunctions({ config, invoker, log, stateDir: appFolder, inputsOf: () => [] }, planned);
  const isDurable = hasDurableBindings(wiring);
  if (isDurable) readDurableSection(config);
  return {
    isLoaded: true,
    registered: [...registry.functions.values()].map(({ metadata }) => metadata.name),
    isDurable,
    functions: wiring.functions.map((planned) => describe(planned, config.serviceBus)),
  };
}

function describe(planned: PlannedFunction, config: ServiceBusConfig): InspectedFunction {
  const { name } = planned.fn.metadata;
  if (planned.state === 'refused') return { name, state: planned.state, problem: planned.error.message };
  if (planned.state === 'disabled' || planned.triggerType !== 'serviceBusTrigger')
    return { name, state: planned.state };
  const trigger = readServiceBusTrigger(planned.fn, planned.triggerName, { env: process.env, config });
  const { connectionString, source } = trigger;
  return { name, state: planned.state, serviceBus: { connectionString, source } };
}

function toProblem(thrown: unknown): Inspection {
  const error = toError(thrown);
  const [problem = '', ...more] = error.message.split('\n');
  const isKnown = error instanceof HostStartError;
  const detail = isKnown ? more.join('\n') : (error.stack ?? '');
  return { isLoaded: false, problem: problem + placeOf(detail), ...(detail === '' ? {} : { detail }) };
}

const OWN_CODE = fileURLToPath(new URL('..', import.meta.url));

/** Returns the location of the first line of the app's own code in a stack trace. */
function placeOf(stack: string): string {
  const isForeign = (line: string): boolean =>
    ['/node_modules/', 'node:', OWN_CODE].some((part) => line.includes(part));
  const lines = stack.split('\n').filter((line) => !isForeign(line));
  const place = lines.map((line) => /((?:file:\/\/)?\/[^()]*?:\d+)(?::\d+)?\)?$/.exec(line)?.[1]).find(Boolean);
  return place === undefined ? '' : ` (${place.replace(/^file:\/\//, '')})`;
}

const send = (inspection: Inspection): void => void process.send?.(inspection, () => process.exit());
const fail = (error: unknown): void => send(toProblem(error));
process.once('disconnect', () => process.exit());
process.once('uncaughtException', fail);
inspect(process.argv[2] ?? '.').then(send, fail);
