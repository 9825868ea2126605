import { beforeEach, describe, expect, it, vi } from 'vitest';

/** The browser globals that the modules of the page need when they are loaded. */
const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
vi.stubGlobal('sessionStorage', storage);
vi.stubGlobal('localStorage', storage);
vi.stubGlobal(
  'BroadcastChannel',
  class {
    postMessage(): void {}
  },
);
const { request } = await import('../../../../web/api/http/request.ts');
const { toApiError } = await import('../../../../web/api/http/errors.ts');
const { keepOperator } = await import('../../../../web/api/http/key.ts');

const asked: RequestInit[] = [];
let answer: (init: RequestInit) => Promise<Response>;
vi.stubGlobal('fetch', (_url: URL, init: RequestInit) => {
  asked.push(init);
  return answer(init);
});
/** Rejects like fetch when its signal is aborted. */
const silent = (init: RequestInit): Promise<Response> =>
  new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

beforeEach(() => {
  asked.length = 0;
  answer = async () => new Response('{}');
});

describe('a request of the dashboard', () => {
  it('without a response ends with an error that contains the time limit', async () => {
    answer = silent;
    await expect(request('queues', { timeoutMs: 1 })).rejects.toMatchObject({ title: 'No response after 0 s' });
  });

  it('that the page cancels is not reported as a server error', async () => {
    answer = silent;
    const control = new AbortController();
    const asking = request('queues', { signal: control.signal });
    control.abort(new Error('left'));
    await expect(asking).rejects.toThrow('left');
  });

  it('contains the operator if it changes something, in characters that a header allows', async () => {
    keepOperator('Zoë');
    await request('queues');
    await request('queues/a/pause', { method: 'POST' });
    const names = asked.map(({ headers }) => (headers as Record<string, string>)['sluice-operator']);
    expect(names).toEqual([undefined, 'Zo%C3%AB']);
  });

  it('never sends the key to another origin', async () => {
    await expect(request('https://elsewhere.test/api/batches')).rejects.toMatchObject({
      title: 'A link to another server was not followed',
    });
    expect(asked).toEqual([]);
  });

  it('that cannot reach the server ends with an error that says so', async () => {
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(request('queues')).rejects.toMatchObject({ status: 0, title: 'The server cannot be reached' });
  });

  it.each([
    [400, '{"title":"Bad Request","detail":"no id","errors":[]}', { title: 'Bad Request', message: 'no id' }],
    [502, '<html>Bad Gateway</html>', { title: 'The server responded with status 502' }],
    [500, 'null', { title: 'The server responded with status 500' }],
    [403, '{"title":"Forbidden"}', { title: 'Not allowed with this key' }],
  ])('that is refused with %i ends with an error of the response: %s', async (status, body, error) => {
    answer = async () => new Response(body, { status });
    await expect(request('queues')).rejects.toMatchObject({ status, ...error });
  });

  it.each([
    [new DOMException('late', 'TimeoutError'), 'The response was not complete in time'],
    [new Error('x is undefined'), 'Something went wrong in this page'],
  ])('whose body fails with %s is shown as an error', (thrown, title) => {
    expect(toApiError(thrown)).toMatchObject({ status: 0, title });
  });
});
