import type { Command } from 'commander';
import type { BodyOf } from '../../../shared/client/index.ts';
import { isBatchId } from '../../../shared/contract/names.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { MAX_PAUSE_SECONDS } from '../../../shared/pauses.ts';
import { nearQueue } from '../../names/queue-name.ts';
import { duration } from '../../options.ts';
import { CliError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatTime } from '../../text/format.ts';
import { describeEnd, getBatch } from '../../watch/wait.ts';
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
    .option(
      '--for <duration>',
      'end the pause by itself after this time, such as 90s, 30m, 4h or 2d (at most 7d): a queue within seconds, a batch at the next sweep',
      duration(MAX_PAUSE_SECONDS),
    )
    .action(act(pause));
  program
    .command('resume')
    .summary('resume a paused queue or batch')
    .description(
      'Ends the present pause of a queue or a batch, also one that the pipeline started, and prints it. A chunk of the batch that is still running may run a second time.',
    )
    .argument('<queue or batch>', 'the queue, or the id of the batch')
    .option(
      '--since <time>',
      'end only the pause that began at this time (paused.since), and fail if there is another one',
    )
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

const pause: Action<[string, { reason?: string; for?: number }]> = async (session, name, { reason, for: forSeconds }) =>
  answer(session, await pauseOf(session, name, { reason, forSeconds }));

const drain: Action<[string]> = async (session, queue) => {
  const { api } = session;
  return answer(
    session,
    await nearQueue({ api }, queue, () => api.json('POST queues/{queue}/drain', { path: { queue } })),
  );
};

/** Names the pause that it ends, so that it never ends one that begins in the meantime. */
const resume: Action<[string, { since?: string }]> = async (session, name, { since }) => {
  const body = { since: since ?? (await presentPause(session, name)).since };
  return answer(session, await resumeOf(session, name, body));
};

/** Reads and prints the present pause. Throws CliError if there is none. */
async function presentPause(session: Session, name: string): Promise<{ since: string }> {
  const { paused, state } = await read(session, name);
  if (!paused)
    throw new CliError(`${name} is ${state ?? 'not paused'}; there is no pause to end.`, { exitCode: EXIT.refused });
  session.inform(`Ends the pause since ${formatTime(paused.since)} UTC by ${paused.by}: ${paused.reason}`);
  return paused;
}

type Subject = BatchView | QueueView;

interface Read {
  paused?: BatchView['paused'] | QueueView['paused'];
  state?: BatchView['state'];
}

const read = ({ api }: Session, name: string): Promise<Read> =>
  isBatchId(name)
    ? getBatch({ api }, name)
    : nearQueue({ api }, name, () => api.json('GET queues/{queue}', { path: { queue: name } }));

const pauseOf = ({ api }: Session, name: string, body: BodyOf<'POST queues/{queue}/pause'>): Promise<Subject> =>
  isBatchId(name)
    ? api.json('POST batches/{id}/pause', { path: { id: name }, body })
    : nearQueue({ api }, name, () => api.json('POST queues/{queue}/pause', { path: { queue: name }, body }));

const resumeOf = ({ api }: Session, name: string, body: { since: string }): Promise<Subject> =>
  isBatchId(name)
    ? api.json('POST batches/{id}/resume', { path: { id: name }, body })
    : nearQueue({ api }, name, () => api.json('POST queues/{queue}/resume', { path: { queue: name }, body }));

function answer(session: Session, subject: Subject): typeof EXIT.done {
  session.answer(subject, () => ('queue' in subject ? [describeQueue(subject)] : describeEnd(subject)));
  return EXIT.done;
}
