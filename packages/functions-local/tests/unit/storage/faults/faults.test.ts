import { describe, expect, test, vi } from 'vitest';
import type { CallHead, Outcome, StorageAnswer } from '../../../../src/storage/call.ts';
import { headerOf } from '../../../../src/storage/call.ts';
import { carryOut, FAULT_STATUSES, type StorageFault } from '../../../../src/storage/faults/faults.ts';

const HEAD: CallHead = { service: 'blob', method: 'GET', url: '/account/container/blob', headers: [] };
const answerOf = (text: string): StorageAnswer => ({ status: 200, headers: [], body: Buffer.from(text) });

/** Answers `first`, then `second` and so on. */
function service() {
  const names = ['first', 'second'];
  return vi.fn(async () => answerOf(names.shift() ?? 'further'));
}

/** Applies a fault on a separate service. */
async function inflict(fault: StorageFault, head = HEAD) {
  const forward = service();
  return { outcome: await carryOut(fault, head, forward), forward };
}

const given = (outcome: Outcome): StorageAnswer => {
  if (typeof outcome === 'string') throw new Error(`Expected an answer, got ${outcome}.`);
  return outcome;
};

describe('a fault without an answer', () => {
  test.each([
    ['reset', 'reset', 0],
    ['resetInRequest', 'resetInRequest', 0],
    ['lostReply', 'reset', 1],
  ] as const)('%s: %s after %i calls of the service', async (kind, expected, calls) => {
    const { outcome, forward } = await inflict({ kind });
    expect(outcome).toBe(expected);
    expect(forward).toHaveBeenCalledTimes(calls);
  });

  test('frozen: cut without an effect after its time', async () => {
    const { outcome, forward } = await inflict({ kind: 'frozen', ms: 1 });
    expect(outcome).toBe('reset');
    expect(forward).not.toHaveBeenCalled();
  });
});

describe('a fault with its own answer', () => {
  test.each([false, true])('refused, effect %s: 403 with a code', async (effect) => {
    const { outcome, forward } = await inflict({ kind: 'refused', effect });
    expect(given(outcome).status).toBe(403);
    expect(headerOf(given(outcome).headers, 'x-ms-error-code')).toBe('AuthorizationFailure');
    expect(forward).toHaveBeenCalledTimes(effect ? 1 : 0);
  });

  test.each([
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServerBusy'],
  ] as const)('%i: the body has the code %s in the format of the service', async (status, code) => {
    const blob = given((await inflict({ kind: 'status', status })).outcome);
    const table = given((await inflict({ kind: 'status', status }, { ...HEAD, service: 'table' })).outcome);
    expect(blob.status).toBe(status);
    expect(blob.body.toString()).toContain(`<Error><Code>${code}</Code>`);
    expect(JSON.parse(table.body.toString())).toMatchObject({ 'odata.error': { code } });
  });

  test.each([408, 502, 504] as const)('%i: comes from a gateway and has no code', async (status) => {
    const { headers, body } = given((await inflict({ kind: 'status', status })).outcome);
    expect(headerOf(headers, 'x-ms-error-code')).toBeUndefined();
    expect(headerOf(headers, 'content-type')).toBe('text/html');
    expect(body.toString()).toContain(String(status));
  });

  test.each(FAULT_STATUSES)('%i: Retry-After as planned, or none', async (status) => {
    const planned = given((await inflict({ kind: 'status', status, retryAfterSeconds: 2 })).outcome);
    const none = given((await inflict({ kind: 'status', status })).outcome);
    expect(headerOf(planned.headers, 'retry-after')).toBe('2');
    expect(headerOf(none.headers, 'retry-after')).toBeUndefined();
  });

  test.each([false, true])('a status with effect %s', async (effect) => {
    const { forward } = await inflict({ kind: 'status', status: 500, effect });
    expect(forward).toHaveBeenCalledTimes(effect ? 1 : 0);
  });

  test('an answer to HEAD has no body', async () => {
    const head = { ...HEAD, method: 'HEAD' };
    for (const status of FAULT_STATUSES)
      expect(given((await inflict({ kind: 'status', status }, head)).outcome).body).toHaveLength(0);
  });
});

describe("a fault with the service's answer", () => {
  test.each(['slow', 'late'] as const)('%s: the unchanged answer', async (kind) => {
    const { outcome, forward } = await inflict({ kind, ms: 1 });
    expect(given(outcome).body.toString()).toBe('first');
    expect(forward).toHaveBeenCalledTimes(1);
  });

  test('slow waits before the effect, late after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const [slow, late] = [service(), service()];
      void carryOut({ kind: 'slow', ms: 1_000_000 }, HEAD, slow);
      void carryOut({ kind: 'late', ms: 1_000_000 }, HEAD, late);
      expect(slow).not.toHaveBeenCalled();
      expect(late).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('resetInBody: cut after half of the body', async () => {
    const { outcome } = await inflict({ kind: 'resetInBody' });
    expect(outcome).toMatchObject({ status: 200, body: Buffer.from('first'), cutAfterBytes: 2 });
  });

  test('resetInBody: an answer without a body is cut before it starts', async () => {
    const forward = vi.fn(async () => answerOf(''));
    expect(await carryOut({ kind: 'resetInBody' }, HEAD, forward)).toBe('reset');
    expect(forward).toHaveBeenCalledTimes(1);
  });

  test.each(['first', 'second'] as const)('doubled: executed twice, with the %s answer', async (answer) => {
    const { outcome, forward } = await inflict({ kind: 'doubled', answer, ms: 0 });
    expect(given(outcome).body.toString()).toBe(answer);
    await expect.poll(() => forward.mock.calls.length).toBe(2);
  });
});
