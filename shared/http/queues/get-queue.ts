import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readWave, type WaveRecord } from '../../wake/gate/wave-record.ts';
import { json } from '../edge/answers.ts';
import { queueAddressOf } from '../edge/request/parameters.ts';
import { type PolicyHttp, readPolicyView } from './policy.ts';
import { lookAtQueues, type QueueViewsDeps } from './queue-views.ts';
import type { QueueDetails, WaveView } from './schemas.ts';

export type GetQueueHttp = QueueViewsDeps & PolicyHttp;

/** GET queues/{queue}: a queue with its latest waves and its policy. `?fresh` measures its depth now. */
export async function getQueue(http: GetQueueHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const address = queueAddressOf(request, http.registry);
  const { queues } = await lookAtQueues(http, [address], { fresh: request.query.has('fresh') });
  const [look] = queues;
  if (look === undefined) throw new Error(`A look at queue ${address.queue} must give it.`);
  const { view, gate } = look;
  const details: QueueDetails = {
    ...view,
    itemsPerReference: address.workload.chunk.maxItems,
    waves: gate.waves.map(waveView),
    policy: await readPolicyView(http, gate),
  };
  return json(details);
}

function waveView(stored: WaveRecord): WaveView {
  const { atMs, ...wave } = readWave(stored);
  return { at: new Date(atMs).toISOString(), ...wave };
}
