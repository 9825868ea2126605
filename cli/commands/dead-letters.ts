import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type { deadLetterGroupsSchema, deadLetterListSchema } from '../../shared/http/dead-letters/schemas.ts';
import { EXIT } from '../exit-codes.ts';
import { openOutput } from '../output.ts';
import type { Act, Action, Session } from '../session.ts';
import { formatCount, formatNumber } from '../text/format.ts';

type Groups = z.infer<typeof deadLetterGroupsSchema>;
type Letters = z.infer<typeof deadLetterListSchema>;

interface DeadLettersOptions {
  cause?: string;
  format: string;
  out?: string;
}

const HELP = `
A dead letter is an item that did not succeed: invalid, rejected by the handler, or failed in all its attempts. Grouped by
cause, with an example each, they are shown as a text, or with --json as the app answers; --cause shows the items of one.
--format ndjson gives all of them, a letter a line, to be corrected and run again:

  sluice dead-letters <id> --format ndjson --out dead.ndjson
  sluice redrive <id> --corrected dead.ndjson --wait`;

/** `sluice dead-letters ID`. */
export function addDeadLetters(program: Command, act: Act): void {
  program
    .command('dead-letters')
    .summary('the items that did not succeed, by cause')
    .description('Shows the items of a batch whose latest outcome is dead.')
    .argument('<id>', 'the batch')
    .option('--cause <cause>', 'only those of this cause, as they are grouped')
    .addOption(new Option('--format <format>', 'form').choices(['text', 'ndjson']).default('text'))
    .option('--out <file>', 'ndjson: into this file')
    .addHelpText('after', HELP)
    .action(act(deadLetters));
}

const deadLetters: Action<[string, DeadLettersOptions]> = async (session, id, options) => {
  const path = `batches/${encodeURIComponent(id)}/dead-letters`;
  if (options.format === 'ndjson') await writeLetters(session, path, options);
  else if (options.cause === undefined) {
    const groups = await session.api.json<Groups>({ path });
    session.answer(groups, () => describeGroups(groups));
  } else {
    const letters = await lettersOf(session, path, options.cause);
    session.answer(letters, () => letters.items.flatMap(describeLetter));
  }
  return EXIT.done;
};

async function writeLetters({ api, io }: Session, path: string, { cause, out }: DeadLettersOptions): Promise<void> {
  const output = await openOutput(io, out);
  try {
    for await (const page of api.pages({ path, query: { format: 'ndjson', cause } })) await output.write(page);
    await output.close();
  } catch (error: unknown) {
    await output.discard();
    throw error;
  }
}

async function lettersOf({ api }: Session, path: string, cause: string): Promise<Letters> {
  const all: Letters = { batch: '', cause, items: [] };
  for await (const page of api.pages({ path, query: { cause, limit: 1_000 } })) {
    const { batch, items } = (await page.json()) as Letters;
    all.batch = batch;
    all.items.push(...items);
  }
  return all;
}

function describeGroups({ batch, count, groups, otherCauses }: Groups): string[] {
  if (count === 0) return ['No dead letters.'];
  return [
    `${formatNumber(count, 'dead letter')} of ${batch}`,
    ...groups.flatMap(({ cause, count: of, example }) => [
      '',
      `${formatCount(of)} x ${cause}`,
      ...describeLetter(example).map((line) => `  ${line}`),
    ]),
    ...(otherCauses > 0 ? ['', `${formatCount(otherCauses)} of other causes`] : []),
  ];
}

type Letter = Letters['items'][number];

const describeLetter = ({ index, line, reason, error, item }: Letter): string[] => [
  `${line === null ? '' : `line ${line}, `}index ${index}, ${reason}: ${describeError(error)}`,
  ...describeIssues(error),
  ...describeStack(error),
  ...(error.causes ?? []).flatMap((cause) => [
    `  caused by ${cause.name}: ${describeError(cause)}`,
    ...describeStack(cause).map((line) => `  ${line}`),
  ]),
  ...(item === undefined ? [] : [JSON.stringify(item)]),
];

type Cause = NonNullable<Letter['error']['causes']>[number];

const describeError = ({ message, code }: Cause): string => (code === undefined ? message : `${message} (${code})`);

const describeStack = ({ stack = [] }: Cause): string[] => stack.map((frame) => `  at ${frame}`);

/** A single issue is the message. */
function describeIssues({ issues = [], moreIssues = 0 }: Letter['error']): string[] {
  if (issues.length + moreIssues < 2) return [];
  const lines = issues.map(({ path, message }) => `  ${path === '' ? message : `${path}: ${message}`}`);
  return moreIssues === 0 ? lines : [...lines, `  and ${formatNumber(moreIssues, 'more issue')}`];
}
