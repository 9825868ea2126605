import { readWave, type WaveRecord } from '../../gate/wave-record.ts';
import type { Settings } from '../../settings.ts';
import { json } from '../edge/answers.ts';
import { queueAddressOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { readPolicyView } from './policy.ts';
import { BOUND_TEXT, waveNotes } from './queue-notes.ts';
import { type QueueReads, readQueueView, readQueueViews } from './queue-views.ts';
import type { QueueDetails, WaveView } from './schemas.ts';

/** GET queues: every queue of the pool, with its depth and backlog. `?fresh` measures all depths now. */
export const listQueues: Handle<QueueReads & Pick<Settings, 'pool'>> = async (deps, request) => {
  const addresses = deps.registry.queues(deps.pool);
  const { queues } = await readQueueViews(deps, addresses, request.query.has('fresh'));
  return json({ queues: queues.map(({ view }) => view) });
};

/** GET queues/{queue}: a queue with its latest waves and its policy. `?fresh` measures its depth now. */
export const getQueue: Handle<QueueReads & Pick<Settings, 'capacity'>> = async (deps, request) => {
  const address = queueAddressOf(request, deps.registry);
  const { view, gate } = await readQueueView(deps, address, request.query.has('fresh'));
  const waves = gate.waves.map(waveView);
  const details: QueueDetails = {
    ...view,
    notes: [...view.notes, ...waveNotes(view, waves)],
    itemsPerReference: address.workload.chunk.maxItems,
    waves,
    policy: await readPolicyView(deps, gate),
  };
  return json(details);
};

function waveView(stored: WaveRecord): WaveView {
  const { atMs, ...wave } = readWave(stored);
  return { at: new Date(atMs).toISOString(), ...wave, limitedBy: BOUND_TEXT[wave.bound] };
}
