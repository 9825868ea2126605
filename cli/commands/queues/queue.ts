import type { Command } from 'commander';
import type { QueueDetails, WaveView } from '../../../shared/http/queues/schemas.ts';
import { nearQueue } from '../../names/queue-name.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatSeconds, formatTime } from '../../text/format.ts';
import { type Column, listTable } from '../../text/listing.ts';
import { describeQueue } from './queues.ts';

const HELP = `
depth     messages when the wave was planned
tasks     dequeue tasks of the wave
done      references that the tasks finished; items: their items`;

/** `sluice queue QUEUE`. */
export function addQueue(program: Command, act: Act): void {
  program
    .command('queue')
    .summary('show one queue and its latest waves')
    .description('Shows a queue, its latest waves, and what limited the number of tasks in each.')
    .argument('<queue>', 'the queue')
    .option('--fresh', 'measure the depth now')
    .addHelpText('after', HELP)
    .action(act(queue));
}

const queue: Action<[string, { fresh?: boolean }]> = async (session, name, { fresh }) => {
  const details = await nearQueue(session, name, () =>
    session.api.json('GET queues/{queue}', { path: { queue: name }, query: { fresh } }),
  );
  session.answer(details, () => describe(details));
  return EXIT.done;
};

const describe = (details: QueueDetails): string[] => [
  describeQueue(details),
  `Policy: ${details.policy.version === 0 ? 'the default' : `version ${details.policy.version}`}`,
  ...(details.waves.length === 0 ? ['No waves yet.'] : listTable(COLUMNS, details.waves)),
];

const COLUMNS: readonly Column<WaveView>[] = [
  { field: 'at', title: 'ended', shown: ({ at }) => formatTime(at) },
  { field: 'seconds', title: 'took', shown: ({ seconds }) => formatSeconds(seconds * 1_000) },
  { field: 'depth' },
  { field: 'tasks' },
  { field: 'done' },
  { field: 'items' },
  { field: 'throttled' },
  { field: 'bound', title: 'limited by', shown: ({ limitedBy, late }) => (late ? `${limitedBy}, late` : limitedBy) },
];
