import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { useUploadApp } from './upload-app.ts';

const app = useUploadApp();

describe('the file at an address', () => {
  it('is streamed to the app like a file of this machine', async () => {
    app.offered['/files/in/M%C3%A4rz.csv'] = 'Konto;Betrag\na;1\n';
    const args = ['--lane', 'bulk', '--label', 'month=march', '--delimiter', ';', '--rename', 'Konto=account'];

    const { code, out, err } = await app.submit([app.addressOf('/files/in/März.csv?sig=secret'), ...args, '--json']);

    expect(code).toBe(EXIT.done);
    expect(app.downloaded).toEqual(['/files/in/M%C3%A4rz.csv?sig=secret']);
    expect(app.arrived).toMatchObject([
      {
        url: '/api/workloads/billing/batches?delimiter=semicolon&rename=Konto%3Daccount&lane=bulk',
        headers: { 'content-type': 'text/csv', 'sluice-file-name': 'M%C3%A4rz.csv', 'sluice-labels': 'month=march' },
        text: 'Konto;Betrag\na;1\n',
      },
    ]);
    expect(out + err).not.toContain('secret');
  });

  it('has the format of the option if its name does not contain it', async () => {
    app.offered['/files/export'] = 'a\n1\n';

    await app.submit([app.addressOf('/files/export?id=3'), '--format', 'csv']);

    expect(app.arrived).toMatchObject([{ headers: { 'content-type': 'text/csv' }, text: 'a\n1\n' }]);
  });

  it('can be sent beside other files', async () => {
    app.offered['/files/a.ndjson'] = '1\n';
    await app.write({ 'b.ndjson': '2\n' });

    expect(await app.submit([app.addressOf('/files/a.ndjson?x=*'), 'b.ndjson'])).toMatchObject({ code: EXIT.done });

    expect(app.arrived.map(({ text }) => text).toSorted()).toEqual(['1\n', '2\n']);
  });

  it('is not accepted if the download breaks off', async () => {
    app.offered['/files/broken.ndjson'] = '1\n'.repeat(100_000);

    const { code, err } = await app.submit([app.addressOf('/files/broken.ndjson?sig=secret')]);

    expect(code).toBe(EXIT.failed);
    expect(err).toMatch(/http:\/\/127\.0\.0\.1:\d+\/files\/broken\.ndjson cannot be read/);
    expect(err).not.toContain('secret');
    expect(app.arrived).toEqual([]);
  });

  it('is reported if it does not exist', async () => {
    const { code, err } = await app.submit([app.addressOf('/files/none.csv')]);

    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining('/files/none.csv cannot be read: status 404')]);
    expect(app.arrived).toEqual([]);
  });

  it.each([
    [['https://files.example/book.xlsx'], 'cannot be converted while it is downloaded'],
    [['https://files.example/export'], 'expected a name such as'],
    [['https://files.example/a.json', '--decimal', 'comma'], 'expected a CSV'],
  ])('is refused: %j', async (args, message) => {
    expect(await app.submit(args)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(message) });
    expect(app.arrived).toEqual([]);
  });
});
