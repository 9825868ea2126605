import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type UrlDeps, urlSource } from '../../../../shared/intake/import/open-url.ts';
import { publicLookup } from '../../../../shared/intake/import/public-address.ts';
import type { SourcePlace } from '../../../../shared/intake/import/source.ts';

let server: Server | undefined;
const asked: IncomingMessage[] = [];
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  asked.length = 0;
});

/** Starts a server without TLS on this machine, which replaces `https://files.example.com`. */
async function serve(answer: RequestListener): Promise<UrlDeps & { port: number }> {
  const own = createServer((message, response) => {
    asked.push(message);
    answer(message, response);
  });
  server = own;
  await new Promise<void>((listening) => own.listen(0, '127.0.0.1', listening));
  const { port } = own.address() as AddressInfo;
  return {
    port,
    request: (_url, { agent: _agent, lookup: _lookup, ...options }, answered) =>
      request(new URL(`http://127.0.0.1:${port}/a.csv`), options, answered),
  };
}

const URL_TEXT = 'https://files.example.com/a.csv?sig=s3cret';
const open = (deps: UrlDeps, place: SourcePlace = { offset: 0 }) =>
  urlSource(new URL(URL_TEXT), deps)(place, undefined);
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('reads a file without content coding, with its size and version', async () => {
  const deps = await serve((_message, answer) =>
    answer.writeHead(200, { etag: '"v1"', 'content-length': 5 }).end('hello'),
  );

  const { body, ...source } = await open(deps);

  expect(source).toMatchObject({ offset: 0, etag: '"v1"', bytes: 5 });
  expect(await textOf(body)).toBe('hello');
  expect(asked[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
  expect(asked[0]?.headers).not.toHaveProperty('range');
});

test('requests a range on condition of the expected version', async () => {
  const deps = await serve((_message, answer) =>
    answer.writeHead(206, { etag: '"v1"', 'content-range': 'bytes 3-4/5' }).end('lo'),
  );

  const { body, ...source } = await open(deps, { offset: 3, etag: '"v1"' });

  expect(source).toMatchObject({ offset: 3, etag: '"v1"', bytes: 5 });
  expect(await textOf(body)).toBe('lo');
  expect(asked[0]?.headers).toMatchObject({ range: 'bytes=3-', 'if-match': '"v1"' });
});

test('accepts a server that ignores ranges; ignores a weak ETag', async () => {
  const deps = await serve((_message, answer) => answer.writeHead(200, { etag: 'W/"v1"' }).end('hello'));

  expect(await open(deps, { offset: 3 })).toMatchObject({ offset: 0, etag: undefined, bytes: undefined });
});

test.each([
  [
    'a redirect',
    302,
    { location: 'http://169.254.169.254/secret?x=s3cret' },
    /redirect to http:\/\/169.254.169.254\/secret\./,
  ],
  ['a redirect to nowhere', 301, {}, /redirect/],
  ['no file', 404, {}, /status 404/],
  ['no right', 403, {}, /status 403/],
  ['another range', 206, { 'content-range': 'bytes 0-4/5' }, /another range/],
  ['no range', 206, {}, /another range/],
])('refuses %s permanently, and does not show the signature', async (_what, status, headers, message) => {
  const deps = await serve((_message, answer) => answer.writeHead(status, headers).end());

  const opened = open(deps, { offset: 3 });

  await expect(opened).rejects.toMatchObject({ type: 'source-unreadable', message: expect.stringMatching(message) });
  await expect(opened).rejects.not.toThrow(/s3cret/);
  expect(asked).toHaveLength(1);
});

test.each([408, 429, 500, 503])('reports status %i as transient', async (status) => {
  const deps = await serve((_message, answer) => answer.writeHead(status).end());

  await expect(open(deps)).rejects.toMatchObject({ type: 'busy' });
});

test.each([412, 416])('reports status %i as another version', async (status) => {
  const deps = await serve((_message, answer) => answer.writeHead(status).end());

  await expect(open(deps, { offset: 3, etag: '"v1"' })).rejects.toMatchObject({ name: 'SourceChangedError' });
});

test('reports another version from the ETag of a successful response', async () => {
  const deps = await serve((_message, answer) =>
    answer.writeHead(206, { etag: '"v2"', 'content-range': 'bytes 3-4/5' }).end('lo'),
  );

  await expect(open(deps, { offset: 3, etag: '"v1"' })).rejects.toMatchObject({ name: 'SourceChangedError' });
});

test('reports a truncated response as transient', async () => {
  const deps = await serve((_message, answer) => {
    answer.writeHead(200, { 'content-length': 5 }).write('he');
    answer.socket?.end();
  });

  await expect(open(deps).then(({ body }) => textOf(body))).rejects.toMatchObject({ type: 'busy' });
});

test('times out if the server sends nothing', async () => {
  const deps = await serve(() => {});

  await expect(open({ ...deps, silenceMs: 20 })).rejects.toMatchObject({ type: 'busy' });
});

test('does not connect to a name that resolves to this machine', async () => {
  const { port } = await serve((_message, answer) => answer.end('secret'));
  const lookup = publicLookup((_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]));

  const opened = urlSource(new URL(`https://files.example.com:${port}/`), { lookup })({ offset: 0 }, undefined);

  await expect(opened).rejects.toMatchObject({
    type: 'source-unreadable',
    message: expect.stringMatching(/not public/),
  });
  expect(asked).toEqual([]);
});
