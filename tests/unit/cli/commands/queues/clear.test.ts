import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

describe('clear', () => {
  it('clears a queue whose name is confirmed, and prints what is left', async () => {
    const cleared = { json: { queue: 'q', batches: 1_200, messages: 2, left: 1 } };
    const { code, out, asked } = await run('clear q --confirm q', { 'POST queues/q/clear': cleared });
    expect([code, asked[0]?.body]).toEqual([EXIT.done, { confirm: 'q' }]);
    expect(out).toMatch(/^q: 2 messages deleted; batches cancelled: 1,200\n1 message left: .* Repeat the command/);
  });

  it('sends no request if the confirmation is a different name', async () => {
    const { code, err, asked } = await run('clear q --confirm r');
    expect([code, err, asked]).toEqual([
      EXIT.usage,
      expect.stringContaining('expected q, got r. Nothing was cleared.'),
      [],
    ]);
  });
});
