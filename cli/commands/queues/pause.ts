import type { Command } from 'commander';
import { isBatchId } from '../../../shared/contract/names.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { nearQueue } from '../../names/queue-name.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { describeEnd } from '../../watch/wait.ts';
import { describeQueue } from './queues.ts';

/**
 * `sluice pause` and `sluice resume` of a queue or a batch, and `sluice drain`. The name of a queue is never the id of a
 * batch.
 */
export function addPause(program: Command, act: Act): void {
  program
    .command('pause')
    .summary('pause a queue or a batch')
    .description(
      'Pauses a queue: no drain starts, and a running one ends after its current wave. Or pauses a batch: running chunks finish, and no others start, except for up to 30 s; other batches continue. The work remains in the queue.',
    )
    .argument('<queue or batch>', 'a queue, such as billing-normal-0, or the id of a batch')
    .option('--reason <text>', 'the reason, shown with the pause')
    .action(act(pause));
  program
    .command('resume')
    .summary('resume a paused queue or batch')
    .description(
      'Ends the pause of a queue or a batch, also one that the pipeline started. A chunk of the batch that is still running may run a second time.',
    )
    .argument('<queue or batch>', 'the queue, or the id of the batch')
    .action(act(resume));
  program
    .command('drain')
    .summary('start the drain of a queue')
    .description(
      'Starts the drain of a queue now, without a wake event: after an upload that published none (--notify-from of a policy), or if a wake event was lost. Does nothing if the queue is empty.',
    )
    .argument('<queue>', 'the queue')
    .action(act(drain));
}

const pause: Action<[string, { reason?: string }]> = (session, name, options) =>
  change(session, name, { verb: 'pause', body: options });

const resume: Action<[string]> = (session, name) => change(session, name, { verb: 'resume' });

const drain: Action<[string]> = (session, queue) => change(session, queue, { verb: 'drain', isBatch: false });

async function change(
  session: Session,
  name: string,
  { verb, body, isBatch = isBatchId(name) }: { verb: 'pause' | 'resume' | 'drain'; body?: unknown; isBatch?: boolean },
): Promise<typeof EXIT.done> {
  const path = `${isBatch ? 'batches' : 'queues'}/${encodeURIComponent(name)}/${verb}`;
  const call = { path, method: 'POST', audience: 'operator', ...(body === undefined ? {} : { body }) } as const;
  if (isBatch) {
    const batch = await session.api.json<BatchView>(call);
    session.answer(batch, () => describeEnd(batch));
  } else {
    const queue = await nearQueue(session, name, () => session.api.json<QueueView>(call));
    session.answer(queue, () => [describeQueue(queue)]);
  }
  return EXIT.done;
}
