import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { run } from '../world.ts';

const ID = '01a2031d-65e2-7946-82af-207588f285b0';

describe('the dashboard', () => {
  const url = `http://app.test/api/dashboard#/batches/${ID}`;

  it('is opened at the page of the batch, without a key in the address', async () => {
    const { code, out, opened, asked } = await run(`open ${ID} --key secret`);
    expect([code, out, opened, asked]).toEqual([EXIT.done, `${url}\n`, [url], []]);
    expect(await run('open zz')).toMatchObject({ code: EXIT.usage, out: '', opened: [] });
    expect((await run('open')).out).toBe('http://app.test/api/dashboard\n');
  });

  it('is not opened with --print or without a browser, and its address is printed', async () => {
    expect(await run(`open ${ID} --print`)).toMatchObject({ code: EXIT.done, out: `${url}\n`, err: '', opened: [] });
    const without = await run(`open ${ID} --json`, {}, { hasBrowser: false });
    expect(JSON.parse(without.out)).toEqual({ url, opened: false });
    expect(without.err).toBe('Could not start a browser: open the address manually.\n');
  });
});
