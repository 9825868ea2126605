import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { batchView, run } from '../../world.ts';

describe('cancel and delete', () => {
  const cancelAnswer = (left: { chunks: number; items: number }) => ({
    ...batchView('b', 'cancelling'),
    cancellation: { ended: { chunks: 3, items: 3_000 }, left },
  });

  it.each([
    [
      { chunks: 1, items: 900 },
      ['Still to be cancelled by the workers or the sweep: 1 chunk with 900 items. To follow it: sluice watch b'],
    ],
    [{ chunks: 0, items: 0 }, []],
  ])('prints the cancelled chunks and those left to the workers: %j', async (left, rest) => {
    const { out } = await run('cancel b', { 'POST batches/b/cancel': { status: 202, json: cancelAnswer(left) } });
    const [state] = out.split('\nState: ');
    expect(state?.split('\n')).toEqual(['Cancelled: 3 chunks with 3,000 items', ...rest]);
  });

  it('cancels with --wait, and exits with 0 for any final state', async () => {
    const { code } = await run('cancel b --wait', {
      'POST batches/b/cancel': { status: 202, json: cancelAnswer({ chunks: 1, items: 900 }) },
      'GET batches/b': { json: batchView('b', 'cancelled') },
    });
    expect(code).toBe(EXIT.done);
  });

  it.each([
    [204, 'Deleted b\n'],
    [202, 'Deleting b; the batch is large, and the sweep deletes the rest.\n'],
  ])('deletes a batch with --yes: status %i', async (status, text) => {
    expect((await run('delete b --yes', { 'DELETE batches/b': { status } })).out).toBe(text);
  });
});
