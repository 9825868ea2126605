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
const { api, createApi, filterQuery } = await import('../../../../web/api/client.ts');
const { toApiError } = await import('../../../../web/api/errors.ts');
const { keepOperator } = await import('../../../../web/api/key.ts');

const { fetchInbox } = await import('../../../../web/api/pages.ts');

const asked: RequestInit[] = [];
const urls: string[] = [];
let answer: (init: RequestInit) => Promise<Response>;
vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
  asked.push(init);
  urls.push(url);
  return answer(init);
});
/** Rejects like fetch when its signal is aborted. */
const silent = (init: RequestInit): Promise<Response> =>
  new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

beforeEach(() => {
  asked.length = 0;
  urls.length = 0;
  answer = async () => new Response('{}');
});

describe('a request of the dashboard', () => {
  it('without a response ends with an error that contains the time limit', async () => {
    answer = silent;
    await expect(createApi({ readMs: 1 }).call('GET queues')).rejects.toMatchObject({ title: 'No response after 0 s' });
  });

  it('that the page cancels is not reported as a server error', async () => {
    answer = silent;
    const control = new AbortController();
    const asking = api.call('GET queues', { signal: control.signal });
    control.abort(new Error('left'));
    await expect(asking).rejects.toThrow('left');
  });

  it('contains the operator if it changes something, in characters that a header allows', async () => {
    keepOperator('Zoë');
    await api.call('GET queues');
    await api.call('POST queues/{queue}/pause', { path: { queue: 'a' }, body: {} });
    const names = asked.map(({ headers }) => (headers as Record<string, string>)['sluice-operator']);
    expect(names).toEqual([undefined, 'Zo%C3%AB']);
  });

  it('for a further page goes to the API, whatever server the link names', async () => {
    answer = async () =>
      new Response('{}', { headers: { link: '<https://elsewhere.test/api/inbox?x=1>; rel="next"' } });
    const { next } = await fetchInbox();
    await fetchInbox(next);
    expect(next).toBe('inbox?x=1');
    expect(new Set(urls.map((url) => new URL(url).origin)).size).toBe(1);
  });

  it('contains the fields of a filter that are filled in', () => {
    expect(filterQuery({ workload: '', label: 'team=sales', day: '2026-11-22' })).toEqual({
      day: '2026-11-22',
      label: ['team=sales'],
    });
    expect(filterQuery({ workload: 'a', label: '' })).toEqual({ workload: 'a' });
  });

  it('that cannot reach the server ends with an error that says so', async () => {
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(api.call('GET queues')).rejects.toMatchObject({ status: 0, title: 'The server cannot be reached' });
  });

  it.each([
    [400, '{"title":"Bad Request","detail":"no id","errors":[]}', { title: 'Bad Request', message: 'no id' }],
    [502, '<html>Bad Gateway</html>', { title: 'The server responded with status 502' }],
    [500, 'null', { title: 'The server responded with status 500' }],
    [403, '{"title":"Forbidden"}', { title: 'Not allowed with this key' }],
  ])('that is refused with %i ends with an error of the response: %s', async (status, body, error) => {
    answer = async () => new Response(body, { status });
    await expect(api.call('GET queues')).rejects.toMatchObject({ status, ...error });
  });

  it.each([
    [new DOMException('late', 'TimeoutError'), 'The response was not complete in time'],
    [new Error('x is undefined'), 'Something went wrong in this page'],
  ])('whose body fails with %s is shown as an error', (thrown, title) => {
    expect(toApiError(thrown)).toMatchObject({ status: 0, title });
  });
});
