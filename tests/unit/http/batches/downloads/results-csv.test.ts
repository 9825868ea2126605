import { expect, it } from 'vitest';
import { csvResults } from '../../../../../shared/http/batches/downloads/results-csv.ts';
import { requestFor } from '../../requests.ts';

const LINES = ['{"id":1}', '{"id":2,"constructor":"own","__proto__":"mine"}', '7'];

async function csvOf(query: string, lines = LINES): Promise<string> {
  const answer = await askFor(query, lines);
  let text = '';
  for await (const piece of answer.stream ?? []) text += piece;
  return text;
}

async function* oneChunk(lines: string[]): AsyncGenerator<string[]> {
  yield lines;
}

const askFor = (query: string, lines: string[], from?: string) =>
  csvResults(requestFor(`batches/x/results?${query}`), oneChunk(lines), { from, headers: {} });

it('a column contains only own fields of a result, whatever its name', async () => {
  const query = ['id', 'constructor', '__proto__', 'toString', 'hasOwnProperty'].map((name) => `column=${name}`);

  expect(await csvOf(query.join('&'))).toBe(
    'id,constructor,__proto__,toString,hasOwnProperty\r\n1,,,,\r\n2,own,mine,,\r\n,,,,\r\n',
  );
});

it('fields with inherited names are collected like others without a column', async () => {
  expect(await csvOf('column=id&column=otherFields')).toBe(
    'id,otherFields\r\n1,\r\n2,"{""constructor"":""own"",""__proto__"":""mine""}"\r\n,7\r\n',
  );
});

it('results that each have their own fields do not make a table or a link of all of them', async () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => JSON.stringify({ id: n, [`field-of-item-number-${n}`]: n }));

  const [header = '', first, ...others] = (await csvOf('', lines)).split('\r\n');
  expect(header.split(',').length).toBeLessThan(200);
  expect(first?.startsWith('0,0,')).toBe(true);
  expect(others.at(-2)).toMatch(/^999,.*,"{""field-of-item-number-999"":999}"$/);
  const { headers } = await askFor('', lines, '000001');
  expect(new Headers(headers as Record<string, string>).get('link')?.length).toBeLessThan(5_000);
});

it('a request may choose 500 columns', async () => {
  const columns = (n: number): string => Array.from({ length: n }, () => 'column=a').join('&');
  expect((await csvOf(columns(500))).split('\r\n')).toHaveLength(LINES.length + 2);
  await expect(csvOf(columns(501))).rejects.toMatchObject({ type: 'invalid-parameter' });
});
