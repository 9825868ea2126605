/** Starts drains and reads their status, through the durable client of the current invocation. */
import type { DurableClient } from 'durable-functions';
import { DrainStartError, toError } from '../errors.ts';
import type { FinishWaveDeps } from '../gate/finish-wave.ts';
import type { GateDeps } from '../gate/gate.ts';
import type { GateRow } from '../gate/gate-row.ts';
import type { DrainStatus } from '../gate/heartbeat.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';
import type { DrainInput } from './drain-queue.ts';

export type DrainClient = Pick<DurableClient, 'startNew' | 'getStatus'>;

export type DrainsDeps = Pick<Services, 'registry' | 'gate' | 'depthOf'> & Pick<FinishWaveDeps, 'plan'>;

/** Creates the dependencies of the gate that start drains and check whether they are alive. */
export const createGateDeps = (deps: DrainsDeps, client: DrainClient): GateDeps => ({
  ...deps.gate,
  start: (gate, put) => startDrain(deps, client, { gate, put }),
  status: (instanceId) => readStatus(client, instanceId),
});

/**
 * Starts the drain of a gate. Its first wave is sized by the number of messages that were put, if known; otherwise by
 * the current depth. A drain that already runs is left alone, and so is one that ran when the start was refused and has
 * ended since.
 * @throws DrainStartError if the runtime did not start it; also the errors of measuring the depth and of planning
 */
async function startDrain(
  deps: DrainsDeps,
  client: DrainClient,
  { gate, put }: { gate: GateRow; put: number | undefined },
): Promise<void> {
  const address = deps.registry.queue(gate.queue);
  if (!address) return;
  const depth = put ?? Math.max(1, await deps.depthOf(gate.queue));
  const input: DrainInput = {
    queue: gate.queue,
    generation: gate.generation,
    wave: await deps.plan(address, gate, depth),
  };
  try {
    await client.startNew('drain-queue', { instanceId: gate.instanceId, input });
  } catch (thrown) {
    const error = toError(thrown);
    // If the status cannot be read either, the error of the start is more useful.
    const status = await readStatus(client, gate.instanceId).catch(() => undefined);
    if (status === undefined || status === 'Failed' || status === 'Terminated') throw new DrainStartError(error);
    log.debug('drain-runs-already', { instanceId: gate.instanceId, error });
  }
}

/** The client reports an unknown instance only by an error with this text. */
const UNKNOWN = /HTTP 404/;

async function readStatus(client: DrainClient, instanceId: string): Promise<DrainStatus> {
  try {
    const status = String((await client.getStatus(instanceId)).runtimeStatus);
    if (status === 'ContinuedAsNew') return 'Running';
    return (status === 'Canceled' ? 'Terminated' : status) as DrainStatus;
  } catch (error) {
    if (UNKNOWN.test(toError(error).message)) return undefined;
    throw error;
  }
}
