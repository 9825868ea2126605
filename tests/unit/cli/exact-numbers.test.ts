import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { run } from './world.ts';

/** A number that a double rounds, and one that JavaScript writes differently. */
const ITEM = '{"account":12345678901234567890,"amount":1.10}';
const IN_CSV = `"${ITEM.replaceAll('"', '""')}"`;
const letter =
  '{"index":1,"attempts":[],"reason":"invalid","error":{"name":"E","message":"m"},"line":2,"chunk":"000000","cause":"c",' +
  `"item":${ITEM}}`;
const item = `{"batch":"b","position":1,"line":2,"state":"succeeded","steps":[],"item":${ITEM},"result":${ITEM}}`;
const answers = {
  'GET batches/b/dead-letters': {
    text: `{"batch":"b","count":1,"groups":[{"cause":"c","reason":"invalid","count":1,"example":${letter}}],"otherCauses":0}`,
  },
  'GET batches/b/dead-letters?cause=c&limit=1000': { text: `{"batch":"b","cause":"c","items":[${letter}]}` },
  'GET batches/b/dead-letters?format=ndjson': { text: `${letter}\n` },
  'GET batches/b/items/1': { text: item },
  'GET batches/b/items?results=true&limit=100': {
    text: `{"batch":"b","items":[{"position":1,"state":"succeeded","attempts":0,"result":${ITEM}}]}`,
  },
  'GET batches/b/report?format=ndjson': {
    text: '{"key":"a","value":12345678901234567890}\n{"key":"b","value":{"net":1.10}}\n',
  },
};

describe('numbers with more digits than a double', () => {
  it.each([
    ['dead-letters b', ITEM],
    ['dead-letters b --json', ITEM],
    ['dead-letters b --cause c', ITEM],
    ['dead-letters b --cause c --json', ITEM],
    ['dead-letters b --format ndjson', ITEM],
    ['dead-letters b --format csv', IN_CSV],
    ['find b 1', `Uploaded: ${ITEM}`],
    ['find b 1', `Result: ${ITEM}`],
    ['find b 1 --json', `"item":${ITEM},"result":${ITEM}`],
    ['items b --results', ITEM],
    ['items b --results --json', ITEM],
    ['items b --results -o csv', IN_CSV],
  ])('keep all digits of an item: %s', async (args, shown) => {
    const { code, out } = await run(args, answers);
    expect([code, out]).toEqual([EXIT.done, expect.stringContaining(shown)]);
  });

  it('keep all digits of a report', async () => {
    const { out } = await run('report b', answers);
    expect(out.trimEnd().split('\n')).toEqual([
      '  key  value                 net',
      '  a    12345678901234567890',
      '  b                          1.10',
    ]);
  });
});
