import { describe, expect, it } from 'vitest';
import { recordAction } from '../../../../shared/commands/audit-log.ts';
import type { GateDeps } from '../../../../shared/gate/gate.ts';
import { type Audit, getAudit } from '../../../../shared/http/audit/routes.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { requestFor } from '../requests.ts';

const NOW_MS = Date.parse('2026-05-05T12:00:00.000Z');

async function logOf(count: number) {
  const { table } = memoryTable();
  const fields = { action: 'pause-queue', target: 'q', by: 'Ada', verified: true, status: 200 };
  for (let n = 0; n < count; n += 1)
    await recordAction(table, { ...fields, at: new Date(NOW_MS - n).toISOString(), detail: `${n}` }, `invocation-${n}`);
  return async (query: string) => {
    const { jsonBody, headers } = await getAudit(
      { table, gate: { now: () => NOW_MS } as GateDeps },
      requestFor(`audit${query}`),
    );
    const link = new Headers(headers as Record<string, string>).get('link');
    const [, next] = /\/audit(\?.*)>; rel="next"/.exec(link ?? '') ?? [];
    return { details: (jsonBody as Audit).entries.map(({ detail }) => detail), next };
  };
}

describe('GET audit', () => {
  it('has a link to the next page, and none on the last one', async () => {
    const get = await logOf(5);
    const first = await get('?limit=2&target=q&code=secret');
    expect([first.details, first.next]).toEqual([
      ['0', '1'],
      expect.stringMatching(/^\?limit=2&target=q&from=2026-04-29&to=2026-05-05&after=/),
    ]);
    const second = await get(first.next ?? '');
    expect(second.details).toEqual(['2', '3']);
    expect(await get(second.next ?? '')).toEqual({ details: ['4'], next: undefined });
  });

  it('refuses another value of after than that of a link', async () => {
    const get = await logOf(1);
    for (const after of ['', 'x', "0'", `1${'2'.repeat(12)}.${'a'.repeat(200)}`])
      await expect(get(`?after=${encodeURIComponent(after)}`)).rejects.toMatchObject({ type: 'invalid-parameter' });
  });
});
