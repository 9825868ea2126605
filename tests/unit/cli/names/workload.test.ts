import { describe, expect, it } from 'vitest';
import { createApi } from '../../../../cli/api/client.ts';
import { chooseWorkload, workloadOf } from '../../../../cli/names/workload.ts';
import type { UsageError } from '../../../../cli/process/errors.ts';

describe('the workload of a command', () => {
  it('is the given one if it exists', () => {
    expect(chooseWorkload(['billing', 'media'], 'media')).toBe('media');
    expect(() => chooseWorkload(['billing', 'media'], 'medai')).toThrow(
      '--workload: there is no workload "medai"; there are: billing, media. Did you mean media?',
    );
  });

  it('must be given if there are several', () => {
    expect(chooseWorkload(['billing'])).toBe('billing');
    expect(() => chooseWorkload(['billing', 'media'])).toThrow('--workload: expected one of billing, media');
    expect(() => chooseWorkload(['billing', 'media'])).toThrow(
      expect.objectContaining({ exitCode: 2 } satisfies Partial<UsageError>),
    );
  });

  it('is requested from the app, without a key, only if none is given', async () => {
    const asked: [string, string | null][] = [];
    const settings = { url: 'http://app.test', key: 'client', operatorKey: 'operator' };
    const api = createApi(settings, async (url, request) => {
      asked.push([String(url), new Headers(request?.headers).get('x-functions-key')]);
      return Response.json({ workloads: ['media'] });
    });
    const session = { api } as Parameters<typeof workloadOf>[0];
    expect([await workloadOf(session, 'payouts'), asked]).toEqual(['payouts', []]);
    expect(await workloadOf(session, undefined)).toBe('media');
    expect(asked).toEqual([['http://app.test/api/health', null]]);
  });
});
