import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

let host: HostProcess;

beforeAll(async () => {
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/buffered-app', import.meta.url)),
    env: { AzureFunctionsJobHost__extensions__http__routePrefix: '', FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: '1000' },
  });
});
afterAll(() => host.stop());

describe('a CommonJS app without streams', () => {
  it('receives params, query and body, and sends JSON and cookies', async () => {
    const answer = await fetch(`${host.url}/1%202/mirror?q=a&q=b`, { method: 'POST', body: 'text' });
    expect(answer.status).toBe(404);
    const url = `${host.url}/1%202/c/mirror?q=a&q=b`;
    const found = await fetch(url, { method: 'POST', body: 'text' });
    expect(await found.json()).toEqual({ params: { x: '1 2', y: 'c' }, q: 'a,b', body: 'text', url });
    expect(found.headers.get('content-type')).toBe('application/json');
    expect(found.headers.getSetCookie()).toEqual(['c=v%20w; path=/; secure; samesite=lax']);
  });

  it('uses the first function by name', async () => {
    expect(await (await fetch(`${host.url}/things/special`)).text()).toBe('first special');
  });

  it.each([
    ['/text', 500],
    ['/status', 204],
    ['/nowhere', 404],
  ])('answers %s with %d', async (path, status) => expect((await fetch(`${host.url}${path}`)).status).toBe(status));

  it('refuses a body above the limit', async () => {
    const body = new Blob(['x'.repeat(1001)]).stream();
    const answer = await fetch(`${host.url}/1/c/mirror`, { method: 'POST', body, duplex: 'half' });
    expect(answer.status).toBe(413);
  });

  it('lists functions without a prefix', () => {
    expect(host.output()).toMatch(/^\ta-first: \[GET\] http:\/\/localhost:\d+\/things\/\{name\}$/m);
  });
});
