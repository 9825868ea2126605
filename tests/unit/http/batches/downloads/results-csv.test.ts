import { expect, it } from 'vitest';
import { csvResults } from '../../../../../shared/http/batches/downloads/results-csv.ts';
import { requestFor } from '../../requests.ts';

const LINES = ['{"id":1}', '{"id":2,"constructor":"own","__proto__":"mine"}', '7'];

async function csvOf(query: string): Promise<string> {
  const chunks = { frames: [{} as never], read: async () => LINES };
  const answer = await csvResults(requestFor(`batches/x/results?${query}`), chunks, { from: undefined, headers: {} });
  let text = '';
  for await (const piece of answer.stream?.pieces ?? []) text += piece;
  return text;
}

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
