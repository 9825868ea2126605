/** Sends every kind of file unchanged through the command line and the pipeline, and checks the report. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import { buildAppCopy } from '../../helpers/app-copy.ts';
import { type CliRun, runCli } from '../../helpers/cli.ts';
import { parquetOf } from '../../helpers/data/tables.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { addTotals, keyOf, type Sale, type Totals, toTotals } from './app/sales.ts';
import * as kinds from './kinds.ts';

const SALES = kinds.someSales(300);
/** One in a hundred is invalid: its number, its choice or its id. */
const BROKEN: Record<number, object> = { 17: { quantity: 'many' }, 117: { tier: 'gold' }, 217: { id: '' } };

/** Name of the file, its content, and the options that the user must give. */
const FILES: readonly [name: string, content: string | Uint8Array, args?: string[]][] = [
  ['semicolons and decimal commas.csv', kinds.spreadsheetCsv(SALES), ['--decimal', 'comma']],
  ['tabs.tsv', kinds.table(SALES, { delimiter: '\t', newline: '\r\n' })],
  ['quoted newlines and dotted headers.csv', kinds.table(SALES)],
  ['padded headers.csv', kinds.table(SALES, { header: kinds.PADDED })],
  ['pipes.csv', kinds.table(SALES, { delimiter: '|' })],
  [
    'foreign headers.csv',
    kinds.table(SALES, { header: kinds.FOREIGN }),
    ['--rename', 'Nr=id', '--rename', 'Kunde = Name=customer', '--rename', 'menge=quantity'],
  ],
  ['windows.csv', kinds.windows1252(kinds.table(SALES, { delimiter: ';' })), ['--charset', 'windows-1252']],
  ['lines.ndjson.gz', kinds.ndjsonGz(SALES)],
  ['array.json', JSON.stringify(SALES, null, 1)],
  ['book.xlsx', kinds.workbook(SALES), ['--sheet', 'Sales']],
];
const BROKEN_FILE = 'one in a hundred is invalid.csv';
const PARQUET = 'table.parquet';

let stack: TestStack;
let runs: ReadonlyMap<string, CliRun>;

beforeAll(async () => {
  const appFolder = await buildAppCopy({
    name: 'files',
    project: 'tests/integration/files/tsconfig.json',
    registry: 'tests/integration/files/app/registry.ts',
  });
  stack = await startStack({ appFolder });
  const write = (name: string, content: string | Uint8Array) => writeFile(join(stack.folder, name), content);
  const broken = SALES.map((sale, n): Sale => ({ ...sale, ...BROKEN[n] }));
  await Promise.all([
    ...FILES.map(([name, content]) => write(name, content)),
    write(BROKEN_FILE, kinds.table(broken, { delimiter: ';' })),
    parquetOf(join(stack.folder, PARQUET), SALES),
  ]);
  const all: [string, unknown, string[]?][] = [...FILES, [BROKEN_FILE, ''], [PARQUET, '']];
  const submitted = all.map(async ([name, , args = []]): Promise<[string, CliRun]> => {
    return [name, await sluice('submit', name, '--label', `kind=${name}`, '--wait', '--json', ...args)];
  });
  runs = new Map(await Promise.all(submitted));
});
afterAll(() => stack?.stop());

const sluice = (...args: string[]): Promise<CliRun> =>
  runCli(args, { env: { SLUICE_URL: stack.url, SLUICE_KEY: stack.keys.function }, folder: stack.folder });

function totalsOf(sales: readonly Sale[]): Record<string, Totals> {
  const totals: Record<string, Totals> = {};
  for (const each of sales) {
    const [key, known] = [keyOf(each), totals[keyOf(each)]];
    totals[key] = known === undefined ? toTotals(each) : addTotals(known, toTotals(each));
  }
  return totals;
}

async function reportOf(id: string): Promise<Record<string, Totals>> {
  const { out } = await sluice('report', id, '--json');
  const { items } = JSON.parse(out) as { items: { key: string; value: Totals }[] };
  return Object.fromEntries(items.map(({ key, value }) => [key, value]));
}

function batchOf(name: string): BatchView {
  const { out, err } = runs.get(name) ?? { out: '', err: '' };
  if (out === '') throw new Error(`${name}: ${err}`);
  return JSON.parse(out);
}

describe('a file of another program', () => {
  it.each([...FILES.map(([name]) => name), PARQUET])('%s becomes the right report', async (name) => {
    const batch = batchOf(name);
    const { accepted, succeeded, dead } = batch.counts;
    const suspects = dead > 0 ? (await sluice('dead-letters', batch.id)).out : '';
    expect([accepted, succeeded, dead, suspects]).toEqual([SALES.length, SALES.length, 0, '']);
    expect(runs.get(name)?.code).toBe(EXIT.done);
    expect(await reportOf(batch.id)).toEqual(totalsOf(SALES));
    expect(batch).toMatchObject({ source: { file: name }, labels: { kind: name } });
  });

  it('with one invalid row in a hundred has exactly these as dead letters', async () => {
    const batch = batchOf(BROKEN_FILE);
    expect(batch.counts).toMatchObject({ accepted: 300, succeeded: 297, dead: 3 });
    expect(runs.get(BROKEN_FILE)?.code).toBe(EXIT.deadLetters);
    expect(await reportOf(batch.id)).toEqual(totalsOf(SALES.filter((_, n) => BROKEN[n] === undefined)));
    const letters = await sluice('dead-letters', batch.id, '--format', 'ndjson');
    const lines = letters.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).index).sort((a, b) => a - b)).toEqual([17, 117, 217]);
  });
});
