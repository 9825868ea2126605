import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../../demo/root.ts';
import { webAssets } from '../../../../infra/packaging/web-assets.ts';
import { dashboardFile, dashboardPage } from '../../../../shared/http/dashboard/dashboard.ts';
import type { DashboardAssets } from '../../../../shared/http/edge/app.ts';
import { assets as sources } from '../../../../web/assets.ts';
import { requestFor } from '../requests.ts';

const assets: DashboardAssets = {
  page: '<script src="{base}app-1.js"></script>',
  files: [{ name: 'app-1.js', type: 'text/javascript; charset=utf-8', text: 'let a = 1;' }],
};

/** The module is one assignment of JSON. */
const assetsOf = (source: string): DashboardAssets =>
  JSON.parse(source.slice(source.indexOf('{'), source.lastIndexOf('}') + 1));
const headersOf = (answer: { headers?: unknown }): Record<string, string> => answer.headers as Record<string, string>;

function fileRequest(file: string, headers: Record<string, string> = {}): ReturnType<typeof requestFor> {
  const request = requestFor(`dashboard/${file}`, headers);
  request.params.file = file;
  return request;
}

describe('the page', () => {
  it('refers to its files relative to its own address, with and without a slash at the end', () => {
    expect(dashboardPage(assets, requestFor('dashboard')).body).toBe('<script src="dashboard/app-1.js"></script>');
    expect(dashboardPage(assets, requestFor('dashboard/')).body).toBe('<script src="app-1.js"></script>');
  });

  it('allows no external resources, no inline script and no framing', () => {
    const headers = headersOf(dashboardPage(assets, requestFor('dashboard')));
    const policy = headers['content-security-policy']?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|data:|\*/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['cache-control']).toBe('no-cache');
  });

  it('explains how to build it if it is not built', () => {
    const answer = dashboardPage(sources, requestFor('dashboard'));
    expect(answer.status).toBe(503);
    expect(answer.body).toContain('npm run build');
  });
});

describe('a file', () => {
  it('is cached permanently, because its name contains its hash', () => {
    const answer = dashboardFile(assets, fileRequest('app-1.js'));
    expect(answer.body).toBe('let a = 1;');
    expect(headersOf(answer)['cache-control']).toContain('immutable');
  });

  it('is compressed only for clients that accept it', () => {
    const compressed: DashboardAssets = { page: '', files: assets.files.map((file) => ({ ...file, brotli: 'CwA=' })) };
    const encodingFor = (accepted: string) =>
      headersOf(dashboardFile(compressed, fileRequest('app-1.js', { 'accept-encoding': accepted })))[
        'content-encoding'
      ];
    expect(['gzip, BR', 'gzip', ''].map(encodingFor)).toEqual(['br', undefined, undefined]);
  });

  it('is below 92 KB together with all others, as sent to browsers', async () => {
    const { files } = assetsOf((await webAssets(ROOT)).source);
    const page = { page: '', files };
    const bodies = files.map(({ name, text }) => {
      const answer = dashboardFile(page, fileRequest(name, { 'accept-encoding': 'gzip, deflate, br, zstd' }));
      expect(headersOf(answer)['content-encoding']).toBe('br');
      expect(brotliDecompressSync(answer.body as Uint8Array).toString()).toBe(text);
      return (answer.body as Uint8Array).length;
    });
    expect(bodies.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(92_000);
  });

  it('contains no handler', async () => {
    const { metafile } = await webAssets(ROOT);
    expect(Object.keys(metafile.inputs).filter((file) => file.startsWith('shared/http/'))).toEqual([]);
  });

  it.each(['app-2.js', '../host.json', '__proto__', ''])('is not found by an unknown name: %s', (name) => {
    expect(() => dashboardFile(assets, fileRequest(name))).toThrow(/has no file/);
    expect(() => dashboardFile(undefined, fileRequest(name))).toThrow(/has no file/);
  });
});
