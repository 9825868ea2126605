import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Policy } from '../../../shared/drain/planning/policy.ts';
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
Without an option that changes it, the policy is shown. --put stores a whole one, as --json shows it under "policy"; --undo
stores the one that the present one has replaced; each other option changes one number of it, and "none" clears
--receive-size, --receive-interval and --notify-from. A change is made to the version that was read, and refused with 4 if
somebody was faster; --put checks this only with --if-version.

Examples:
  sluice policy billing-bulk-0
  sluice policy billing-bulk-0 --capacity 20
  sluice policy billing-bulk-0 --receive-size 8 --receive-interval 2000
  sluice policy billing-bulk-0 --notify-from none
  sluice policy billing-bulk-0 --undo
  sluice policy billing-bulk-0 --json | jq .policy | sluice policy billing-normal-0 --put -`;

/** `sluice policy QUEUE`. */
export function addPolicy(program: Command, act: Act): void {
  program
    .command('policy')
    .summary('show or change how the waves of a queue are sized')
    .description('Shows or changes the rule by which the waves of a queue are sized.')
    .argument('<queue>', 'the queue')
    .addOption(new Option('--capacity <n>', 'most tasks of a wave').argParser(whole(1, 1_000)))
    .addOption(new Option('--headroom <fraction>', 'share of it that bulk lanes leave free').argParser(decimal(0, 0.9)))
    .addOption(new Option('--target-seconds <s>', 'work that one task should get').argParser(decimal(0.1, 600)))
    .addOption(new Option('--receive-size <n>', 'most messages of one receive').argParser(wholeOrNone(1, 32)))
    .addOption(
      new Option('--receive-interval <ms>', 'shortest time from one receive of a task to its next').argParser(
        wholeOrNone(0, 60_000),
      ),
    )
    .addOption(
      new Option('--notify-from <n>', 'messages that wait before uploads wake the queue').argParser(
        wholeOrNone(1, 1_000_000),
      ),
    )
    .addOption(
      new Option('--undo', 'store the policy that the present one has replaced').conflicts([
        'put',
        'capacity',
        'headroom',
        'targetSeconds',
        'receiveSize',
        'receiveInterval',
        'notifyFrom',
        'ifVersion',
      ]),
    )
    .option('--put <file>', 'a whole policy as JSON; - is standard input')
    .addOption(new Option('--if-version <n>', 'with --put: only over this version').argParser(whole(0, 1e9)))
    .addHelpText('after', HELP)
    .action(act(policy));
}

const policy: Action<[string, PolicyOptions]> = async (session, queue, options) => {
  const path = `queues/${encodeURIComponent(queue)}/policy`;
  const view = await nearQueue(session, queue, () => changed(session, path, options));
  session.answer(view, () => describe(view));
  return EXIT.done;
};

async function changed(
  session: Session,
  path: string,
  { put, undo = false, ifVersion: version, receiveInterval: receiveIntervalMs, ...others }: PolicyOptions,
): Promise<PolicyView> {
  const numbers = { ...others, ...(receiveIntervalMs === undefined ? {} : { receiveIntervalMs }) };
  const changes = Object.keys(numbers).length;
  if (put !== undefined && changes > 0) throw new UsageError('--put: stores a whole policy, without other changes');
  if (put !== undefined) return store(session, path, { policy: await readPolicy(session.io, put), version });
  if (version !== undefined) throw new UsageError('--if-version: expected --put as well');
  const read = await session.api.json<PolicyView>({ path, audience: 'operator' });
  if (undo) return store(session, path, { policy: previousOf(read), version: read.version });
  return changes === 0
    ? read
    : store(session, path, { ...read, policy: withoutCleared({ ...read.policy, ...numbers }) });
}

function previousOf({ queue, previous }: PolicyView): Policy {
  if (previous !== undefined) return previous;
  throw new UsageError(`--undo: nothing is known of a policy of ${queue} before this one`);
}

const withoutCleared = (policy: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== 'none'));

const store = (
  { api }: Session,
  path: string,
  { policy: body, version }: { policy: unknown; version: number | undefined },
): Promise<PolicyView> =>
  api.json({
    ...{ path, method: 'PUT', audience: 'operator', body },
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
      ['headroom', `${headroom * 100} % of it left free by bulk lanes`],
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
  below === undefined ? 'else' : `below ${below} items`,
  `at most ${tasks} tasks`,
];
