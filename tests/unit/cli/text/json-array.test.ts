import { expect, it } from 'vitest';
import { toJsonArray } from '../../../../cli/commands/batches/downloads.ts';

it.each([
  [[], '[]\n'],
  [[''], '[]\n'],
  [['1'], '[\n1\n]\n'],
  [['1\n2\n', '', '"a\\nb"\n', '4'], '[\n1,\n2,\n"a\\nb",\n4\n]\n'],
])('joins the pages %j into one JSON array', async (pages, text) => {
  const given = async function* () {
    for (const page of pages) yield new Response(page);
  };
  let out = '';
  for await (const answer of toJsonArray(given())) out += await answer.text();
  expect(out).toBe(text);
  expect(JSON.parse(out)).toBeInstanceOf(Array);
});
