import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planFromSample } from '../../../../cli/new-workload/sample.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-sample-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the schema of a sample, and the options for files like it. */
async function planOf(text: string, options = {}) {
  await writeFile(join(folder, 'a.csv'), text);
  const io = { folder, stdin: Readable.from([]), randomId: () => 'r', fetch };
  const planned = await planFromSample({ io, inform: () => {} } as never, 'a.csv', options);
  return { schema: planned.plan.schema, options: planned.options };
}

it('recognizes decimal commas between semicolons, and returns the option', async () => {
  const { schema, options } = await planOf('id;net;paid\na;1,50;TRUE\nb;12;true\nc;-0,25;false\n');
  expect(options).toEqual({ decimal: ',' });
  expect(schema).toContain('net: z.number()');
  expect(schema).toContain('paid: z.boolean()');
});

it.each([
  ['a comma that may separate thousands', 'id,net\na,"1,500"\nb,"2,500"\n', {}],
  ['a decimal sign that was given', 'id;net\na;1,50\nb;2,50\n', { decimal: '.' }],
  ['a text with a comma', 'id;net\na;1,50\nb;n/a\n', {}],
])('does not convert %s', async (_what, text, given) => {
  const { schema, options } = await planOf(text, given);
  expect(options).toEqual(given);
  expect(schema).toContain('net: z.string()');
});
