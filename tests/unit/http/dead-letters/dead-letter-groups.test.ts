import { expect, it } from 'vitest';
import type { DeadLetterText } from '../../../../shared/http/dead-letters/dead-letter-lines.ts';
import { groupsText } from '../../../../shared/http/dead-letters/get-dead-letters.ts';

const letterOf = (cause: string, position: number): DeadLetterText => ({
  ...{ chunk: '000000', position, cause, reason: 'rejected' },
  text: `{"index":${position}}`,
});

async function* chunksOf(causes: readonly string[]): AsyncGenerator<DeadLetterText[]> {
  for (const [position, cause] of causes.entries()) yield [letterOf(cause, position)];
}

it('groups dead letters by cause, the most frequent first, with the first letter as the example', async () => {
  expect(JSON.parse(await groupsText({ id: 'b', dead: 9 }, chunksOf(['x', 'y', 'y'])))).toEqual({
    ...{ batch: 'b', count: 9, scanned: 3, otherCauses: 0 },
    groups: [
      { cause: 'y', reason: 'rejected', count: 2, example: { index: 1 } },
      { cause: 'x', reason: 'rejected', count: 1, example: { index: 0 } },
    ],
  });
});

it('counts the dead letters beyond the hundredth cause without a group', async () => {
  const causes = [...Array.from({ length: 103 }, (_, n) => `cause ${n}`), 'cause 0'];

  const { scanned, otherCauses, groups } = JSON.parse(await groupsText({ id: 'b', dead: 104 }, chunksOf(causes)));

  expect([scanned, otherCauses, groups.length, groups[0].count]).toEqual([104, 3, 100, 2]);
});
