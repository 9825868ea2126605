import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readWave, type WaveRecord } from '../../gate/wave-record.ts';
import { json } from '../edge/answers.ts';
import { queueAddressOf } from '../edge/request/parameters.ts';
import { BOUND_TEXT } from './bound-text.ts';
import { type PolicyHttp, readPolicyView } from './policy.ts';
import { waveNotes } from './queue-notes.ts';
import { type QueueViewsDeps, readQueueViews } from './queue-views.ts';
import type { QueueDetails, WaveView } from './schemas.ts';

export type GetQueueHttp = QueueViewsDeps & PolicyHttp;

/** GET queues/{queue}: a queue with its latest waves and its policy. `?fresh` measures its depth now. */
export async function getQueue(http: GetQueueHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const address = queueAddressOf(request, http.registry);
  const { queues } = await readQueueViews(http, [address], { fresh: request.query.has('fresh') });
  const [reading] = queues;
  if (reading === undefined) throw new Error(`Expected a view of queue ${address.queue}, got none.`);
  const { view, gate } = reading;
  const waves = gate.waves.map(waveView);
  const details: QueueDetails = {
    ...view,
    notes: [...view.notes, ...waveNotes(view, waves)],
    itemsPerReference: address.workload.chunk.maxItems,
    waves,
    policy: await readPolicyView(http, gate),
  };
  return json(details);
}

function waveView(stored: WaveRecord): WaveView {
  const { atMs, ...wave } = readWave(stored);
  return { at: new Date(atMs).toISOString(), ...wave, limitedBy: BOUND_TEXT[wave.bound] };
}
