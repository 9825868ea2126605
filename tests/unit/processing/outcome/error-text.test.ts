import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { deadItemSchema } from '../../../../shared/contract/outcome.ts';
import { attemptError, TimeoutError, toErrorText } from '../../../../shared/processing/outcome/error-text.ts';
import { InvalidItem } from '../../../../shared/workload/validate-item.ts';

const withoutStack = (thrown: unknown) => {
  const { stack: _, causes, ...text } = toErrorText(thrown);
  return { ...text, ...(causes && { causes: causes.map(({ stack: _inner, ...cause }) => cause) }) };
};

describe('the text of a thrown value', () => {
  it.each([
    ['an error', new RangeError('too far'), { name: 'RangeError', message: 'too far' }],
    ['a code', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), { code: 'ECONNREFUSED' }],
    ['a number as code', Object.assign(new Error('no'), { code: 404 }), { code: 404 }],
    ['an error of another realm', runInNewContext('new TypeError("odd")'), { name: 'TypeError', message: 'odd' }],
    ['a value that looks like an error', { message: 'm', code: 'c' }, { name: 'Error', message: 'm', code: 'c' }],
    ['text', 'a text', { name: 'Error', message: 'a text' }],
    ['nothing', undefined, { name: 'Error', message: 'undefined' }],
    ['an object', { status: 503 }, { name: 'Error', message: '{ status: 503 }' }],
    ['a symbol', Symbol('s'), { name: 'Error', message: 'Symbol(s)' }],
  ])('contains the available parts of %s', (_, thrown, expected) => {
    expect(toErrorText(thrown)).toMatchObject(expected);
  });

  it.each([
    ['an object', Object.assign(new Error('m'), { code: {} })],
    ['not a finite number', Object.assign(new Error('m'), { code: Number.NaN })],
  ])('has no code that is %s', (_, thrown) => {
    expect(toErrorText(thrown)).not.toHaveProperty('code');
  });

  it('has the chain of causes, nearest first', () => {
    const root = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const thrown = new Error('order', { cause: new TypeError('fetch failed', { cause: root }) });
    expect(withoutStack(thrown)).toEqual({
      name: 'Error',
      message: 'order',
      causes: [
        { name: 'TypeError', message: 'fetch failed' },
        { name: 'Error', message: 'connect', code: 'ECONNREFUSED' },
      ],
    });
  });

  it('has the errors of an AggregateError as causes, also at lower levels', () => {
    const both = new AggregateError([new Error('v6'), 'v4'], 'all');
    expect(withoutStack(new Error('fetch', { cause: both })).causes).toEqual([
      { name: 'AggregateError', message: 'all' },
      { name: 'Error', message: 'v6' },
      { name: 'Error', message: 'v4' },
    ]);
  });

  it('limits an endless chain of causes', () => {
    const ring = new Error('ring');
    ring.cause = ring;
    expect(toErrorText(ring)).not.toHaveProperty('causes');
    const endless = (depth: number): Error =>
      Object.defineProperty(new Error(`${depth}`), 'cause', { get: () => endless(depth + 1) });
    expect(toErrorText(endless(0)).causes?.map(({ message }) => message)).toEqual(['1', '2', '3', '4']);
  });

  it('has no frames for errors of the pipeline itself', () => {
    expect(toErrorText(new TimeoutError(50))).toEqual({ name: 'TimeoutError', message: 'timed out after 0.05 s' });
    expect(toErrorText(new InvalidItem('not JSON'))).toEqual({ name: 'InvalidItem', message: 'not JSON' });
  });

  it('keeps the readable parts of an error whose properties throw', () => {
    const broken = Object.defineProperties(new Error('m'), {
      name: { get: () => raise() },
      code: { get: () => raise() },
      stack: { get: () => raise() },
      cause: { get: () => raise() },
    });
    expect(toErrorText(broken)).toEqual({ name: 'Error', message: 'm' });
  });

  it.each([
    ['a plain one', { status: 401, headers: { authorization: 'Bearer s3cret' } }, '{ status: 401, headers: [Object] }'],
    ['the response of fetch', new Response(null, { status: 401, headers: { 'x-key': 's3cret' } }), 'Response 401'],
    ['headers of fetch', { headers: new Headers({ 'x-key': 's3cret' }) }, 'headers: '],
    ['one in a list', [{ headers: { authorization: 's3cret' } }], '[ [Object] ]'],
  ])('shows no headers of a thrown response: %s', (_, thrown, expected) => {
    const { message } = toErrorText(thrown);
    expect(message).toContain(expected);
    expect(message).not.toContain('s3cret');
  });

  it.each([
    ['a proxy whose traps throw', new Proxy({}, new Proxy({}, { get: () => raise }))],
    ['a revoked proxy', revoked()],
    ['an object that cannot be shown', { toString: raise, [Symbol.for('nodejs.util.inspect.custom')]: raise }],
    ['errors that are not a list', Object.assign(new AggregateError([]), { errors: revoked() })],
  ])('never throws: %s', (_, thrown) => {
    expect(toErrorText(thrown)).toMatchObject({ name: expect.any(String), message: expect.any(String) });
  });
});

describe('the size of an error', () => {
  const long = (thrown: Error): Error =>
    Object.assign(thrown, {
      message: 'm'.repeat(50_000),
      name: 'n'.repeat(1_000),
      code: 'c'.repeat(1_000),
      stack: Array.from({ length: 100 }, (_, i) => `    at f${'x'.repeat(300)} (/srv/w.ts:${i}:1)`).join('\n'),
    });
  const thrown = long(new AggregateError(Array.from({ length: 100 }, () => long(new Error()))));

  it('is bounded in a dead letter', () => {
    const text = toErrorText(thrown);
    expect([text.stack?.length, text.causes?.length, text.causes?.[0]?.stack?.length]).toEqual([5, 4, 2]);
    expect(JSON.stringify(text).length).toBeLessThan(8_500);
  });

  it('is smaller in an attempt', () => {
    const text = attemptError(toErrorText(thrown));
    expect([text.stack?.length, text.causes?.length, text.causes?.[0]?.stack?.length]).toEqual([2, 2, 1]);
    expect(JSON.stringify(text).length).toBeLessThan(2_900);
  });

  it.each(['short', 'm'.repeat(3_000)])('does not grow when an attempt is cut again', (message) => {
    const once = attemptError(toErrorText(new Error(message, { cause: new Error(message) })));
    expect(attemptError(once)).toEqual(once);
  });

  it('includes the length of the thrown message, however often it is cut', () => {
    const text = toErrorText(new Error('m'.repeat(3_000), { cause: new Error('c'.repeat(1_000)) }));
    const { message, causes } = attemptError(text);
    expect(message).toBe(`${'m'.repeat(500)}… (3000 characters)`);
    expect(causes?.[0]?.message).toBe(`${'c'.repeat(200)}… (1000 characters)`);
  });

  it('of an object with many keys is that of its first twenty', () => {
    const read = vi.fn(() => 'read');
    const keys = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, i]));
    const { message } = toErrorText(Object.defineProperty(keys, 'k1', { get: read, enumerable: true }));
    expect(message).toMatch(/^\{ k0: 0, k1: \[Getter\], k2: 2, .*, k19: 19 \} \(21 keys\)$/);
    expect(read).not.toHaveBeenCalled();
  });
});

it('the text matches the contract, whatever was thrown', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (thrown) => {
      const error = JSON.parse(JSON.stringify(toErrorText(thrown)));
      const dead = {
        index: 0,
        reason: 'rejected',
        error,
        attempts: [{ at: '', error: attemptError(error) }],
        version: 1,
      };
      expect(deadItemSchema.parse(dead)).toEqual(dead);
    }),
  );
});

function raise(): never {
  throw new Error('a trap');
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
