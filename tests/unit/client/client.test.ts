import { describe, expect, it } from 'vitest';
import {
  type ClientOptions,
  createClient,
  jsonOf,
  keysByAudience,
  nextOf,
  ProblemError,
} from '../../../shared/client/index.ts';

interface Sent {
  url: string;
  method: string | undefined;
  headers: Headers;
  body: unknown;
}

/** A client of an app with these answers, and the requests that it has received. */
function world(answers: Response[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    api: 'https://app.test/api',
    key: 'secret',
    fetch: async (url, request) => {
      sent.push({
        url: String(url),
        method: request?.method,
        headers: new Headers(request?.headers),
        body: request?.body,
      });
      return answers.shift() ?? new Response('{}');
    },
    ...options,
  });
  return { client, sent };
}

const page = (body: unknown, next?: string): Response =>
  new Response(JSON.stringify(body), next === undefined ? {} : { headers: { link: `<${next}>; rel="next"` } });

describe('a request', () => {
  it('is sent to the path of its route, with names escaped and empty parameters left out', async () => {
    const { client, sent } = world([]);

    await client.call('GET batches/{id}/items', {
      path: { id: '../x?y' },
      query: { state: 'dead', results: true, limit: 5, from: undefined },
    });
    await client.call('GET queues', { query: { fresh: false } });
    await client.call('GET batches', { query: { label: ['a=1', 'b=2'] } });

    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://app.test/api/batches/..%2Fx%3Fy/items?state=dead&results=true&limit=5',
      'GET https://app.test/api/queues',
      'GET https://app.test/api/batches?label=a%3D1&label=b%3D2',
    ]);
  });

  it('sends a value as JSON, and text as it is', async () => {
    const { client, sent } = world([]);

    await client.call('POST queues/{queue}/pause', { path: { queue: 'q' }, body: { reason: 'x' } });
    await client.call('POST queues/{queue}/pause', { path: { queue: 'q' }, body: '{"reason": "y"}' });

    expect(sent.map(({ body, headers }) => [body, headers.get('content-type')])).toEqual([
      ['{"reason":"x"}', 'application/json'],
      ['{"reason": "y"}', 'application/json'],
    ]);
  });

  it('names the operator only if it changes something', async () => {
    const { client, sent } = world([], { operator: 'Zoë' });

    await client.call('GET overview');
    await client.call('POST sweep');

    expect(sent.map(({ headers }) => headers.get('sluice-operator'))).toEqual([null, 'Zo%C3%AB']);
  });

  it('has the key of its audience', async () => {
    const { client, sent } = world([], { key: keysByAudience({ client: 'c', operator: 'o' }) });

    await client.call('GET batches');
    await client.call('GET queues');
    await client.call('GET health');

    expect(sent.map(({ headers }) => headers.get('x-functions-key'))).toEqual(['c', 'o', null]);
  });

  it('can be sent by another library', () => {
    const { client } = world([], { headers: { 'user-agent': 'test' } });

    expect(client.address('POST workloads/{workload}/batches', { path: { workload: 'a/b' } })).toEqual({
      url: 'https://app.test/api/workloads/a%2Fb/batches',
      headers: { 'user-agent': 'test', 'x-functions-key': 'secret' },
    });
  });
});

describe('an answer', () => {
  it('keeps all digits of its numbers', async () => {
    const { client } = world([new Response('{"batches":[],"n":12345678901234567890}')]);

    expect(JSON.stringify(await client.json('GET batches'))).toBe('{"batches":[],"n":12345678901234567890}');
  });

  it('is followed to its further pages, also behind a gateway with another prefix', async () => {
    const answers = [page(1, '/api/batches?after=a'), page(2, 'https://gate.test/x/api/batches?after=b'), page(3)];
    const { client, sent } = world(answers, { api: 'https://gate.test/x/api/' });

    const read: unknown[] = [];
    for await (const answer of client.pages('GET batches', { query: { limit: 1 } })) read.push(await jsonOf(answer));

    expect(read).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url)).toEqual([
      'https://gate.test/x/api/batches?limit=1',
      'https://gate.test/x/api/batches?after=a',
      'https://gate.test/x/api/batches?after=b',
    ]);
    expect(nextOf(page(1))).toBeUndefined();
  });

  it('of a refusal becomes an error with its problem', async () => {
    const problem = { type: 'https://x/problems/too-large', title: 'Too large', detail: 'At most 1 MiB.' };
    const { client } = world([new Response(JSON.stringify(problem), { status: 413, headers: { 'retry-after': '7' } })]);

    const error = await client.call('GET batches').catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status: 413, kind: 'too-large', facts: problem, retryAfterSeconds: 7 });
    expect((error as Error).message).toBe('Too large (413 too-large)\n  At most 1 MiB.');
  });

  it('with an expected error status is returned', async () => {
    const { client } = world([new Response('{}', { status: 503 })]);

    expect((await client.call('GET health', { alsoExpected: [503] })).status).toBe(503);
  });
});
