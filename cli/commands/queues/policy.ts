import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Policy } from '../../../shared/gate/policy.ts';
import type { PolicyView } from '../../../shared/http/queues/schemas.ts';
import { nearQueue } from '../../names/queue-name.ts';
import { decimal, whole, wholeOrNone } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatCount, formatNumber, formatTable } from '../../text/format.ts';

interface PolicyOptions {
  put?: string;
  undo?: boolean;
  capacity?: number;
  headroom?: number;
  targetSeconds?: number;
  receiveSize?: number | 'none';
  receiveInterval?: number | 'none';
  notifyFrom?: number | 'none';
  ifVersion?: number;
}

const HELP = `
Without options, shows the policy. --put stores a whole policy, in the format that --json shows under "policy". --undo restores
the previous policy. Each other option changes one value; "none" clears --receive-size, --receive-interval and --notify-from.
If the policy was changed between reading and writing, the change is refused with exit code 4; with --put, only if --if-version
is given.

Examples:
  sluice policy billing-bulk-0
  sluice policy billing-bulk-0 --capacity 20
  sluice policy billing-bulk-0 --receive-size 8 --receive-interval 2000
  sluice policy billing-bulk-0 --notify-from none
  sluice policy billing-bulk-0 --undo
  sluice policy billing-bulk-0 --json | jq .policy | sluice policy billing-normal-0 --put -`;

const CHANGES = ['capacity', 'headroom', 'targetSeconds', 'receiveSize', 'receiveInterval', 'notifyFrom'];

/** `sluice policy QUEUE`. */
export function addPolicy(program: Command, act: Act): void {
  program
    .command('policy')
    .summary('show or change the policy of a queue')
    .description('Shows or changes the policy of a queue, which determines the size of its waves.')
    .argument('<queue>', 'the queue')
    .option('--capacity <n>', 'maximum number of tasks per wave', whole(1, 1_000))
    .option('--headroom <fraction>', 'fraction of the capacity that bulk lanes leave free', decimal(0, 0.9))
    .option('--target-seconds <s>', 'amount of work per task', decimal(0.1, 600))
    .option('--receive-size <n>', 'maximum number of messages per receive', wholeOrNone(1, 32))
    .option('--receive-interval <ms>', 'minimum time between two receives of a task', wholeOrNone(0, 60_000))
    .option(
      '--notify-from <n>',
      'number of waiting messages from which uploads publish a wake event',
      wholeOrNone(1, 1_000_000),
    )
    .addOption(new Option('--undo', 'restore the previous policy').conflicts(['put', 'ifVersion', ...CHANGES]))
    .option('--put <file>', 'store this policy, a JSON file; - is standard input')
    .option('--if-version <n>', 'with --put: only if this is the current version', whole(0, 1e9))
    .addHelpText('after', HELP)
    .action(act(policy));
}

const policy: Action<[string, PolicyOptions]> = async (session, queue, options) => {
  const view = await nearQueue(session, queue, () => changed(session, queue, options));
  session.answer(view, () => describe(view));
  return EXIT.done;
};

async function changed(
  session: Session,
  queue: string,
  { put, undo = false, ifVersion: version, receiveInterval: receiveIntervalMs, ...others }: PolicyOptions,
): Promise<PolicyView> {
  const numbers = { ...others, ...(receiveIntervalMs === undefined ? {} : { receiveIntervalMs }) };
  const changes = Object.keys(numbers).length;
  if (put !== undefined && changes > 0) throw new UsageError('--put: cannot be combined with other changes');
  if (put !== undefined) return store(session, queue, { policy: await readPolicy(session.io, put), version });
  if (version !== undefined) throw new UsageError('--if-version: expected --put as well');
  const read = await session.api.json('GET queues/{queue}/policy', { path: { queue } });
  if (undo) return store(session, queue, { policy: previousOf(read), version: read.version });
  return changes === 0
    ? read
    : store(session, queue, { ...read, policy: withoutCleared({ ...read.policy, ...numbers }) });
}

function previousOf({ queue, previous }: PolicyView): Policy {
  if (previous !== undefined) return previous;
  throw new UsageError(`--undo: there is no previous policy of ${queue}`);
}

const withoutCleared = (policy: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== 'none'));

const store = (
  { api }: Session,
  queue: string,
  { policy, version }: { policy: unknown; version: number | undefined },
): Promise<PolicyView> =>
  api.json('PUT queues/{queue}/policy', {
    path: { queue },
    // The app checks it, also for policies of another version.
    body: JSON.stringify(policy),
    ...(version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }),
  });

async function readPolicy(io: Io, file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(io.stdin) : await readFile(resolve(io.folder, file), 'utf8'));
  } catch (error: unknown) {
    throw new UsageError(`--put: cannot read a policy from ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function describe({ queue, version, policy }: PolicyView): string[] {
  const { thresholds, capacity, headroom, targetSeconds, receiveSize, receiveIntervalMs, notifyFrom } = policy;
  return [
    `${queue}, ${version === 0 ? 'the default policy' : `version ${version}`}`,
    ...formatTable([
      ...thresholds.map(thresholdRow),
      ['capacity', `${capacity} tasks`],
      ['headroom', `${headroom * 100} % of the capacity, left free by bulk lanes`],
      ['target', `${targetSeconds} s of work per task`],
      ...(receiveSize === undefined ? [] : [['receive size', `at most ${formatNumber(receiveSize, 'message')}`]]),
      ...(receiveIntervalMs === undefined
        ? []
        : [['receive interval', `at least ${formatCount(receiveIntervalMs)} ms`]]),
      ...(notifyFrom === undefined ? [] : [['notify from', `${formatNumber(notifyFrom, 'message')} in the queue`]]),
    ]),
  ];
}

const thresholdRow = ({ below, tasks }: Policy['thresholds'][number]): string[] => [
  below === undefined ? 'otherwise' : `below ${below} items`,
  `at most ${tasks} tasks`,
];
