import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { useUploadApp } from './upload-app.ts';

const app = useUploadApp();

describe('an address', () => {
  const URL = 'https://files.example/in/usage.csv.gz?sig=secret';
  const file = { name: 'billing/0-usage.csv', state: 'waiting', since: '2026-11-22T14:03:12.000Z' };
  const quick = { io: { sleep: async () => {} } };

  it('is sent to the app with lane, labels and options', async () => {
    const args = [URL, '--lane', 'bulk', '--label', 'month=march', '--delimiter', ';', '--rename', 'Konto=account'];
    const { code, out, err } = await app.submit([...args, '--idempotency-key', 'k', '--json']);
    expect([code, JSON.parse(out)]).toEqual([EXIT.done, { inbox: 'billing/0-usage.csv', idempotencyKey: 'k' }]);
    expect(app.arrived).toMatchObject([
      { url: '/api/workloads/billing/batches/from-url', headers: { 'idempotency-key': 'k' } },
    ]);
    expect(JSON.parse(app.arrived[0]?.text ?? '')).toEqual({
      ...{ url: URL, lane: 'bulk', labels: { month: 'march' } },
      csv: { delimiter: 'semicolon', rename: { Konto: 'account' } },
    });
    expect(out + err).not.toContain('secret');
  });

  it('is followed through the inbox until its batch is finished', async () => {
    app.inboxAnswers = [file, { ...file, state: 'taking' }, { ...file, state: 'done', batch: 'batch-9' }];
    app.ends['batch-9'] = 'completedWithDeadLetters';
    const { code, out } = await app.submit([URL, '--wait'], quick);
    expect([code, app.inboxAnswers]).toEqual([EXIT.deadLetters, []]);
    expect(out).toContain('Accepted as batch batch-9');
  });

  it('is reported with the reason if it is rejected', async () => {
    const reason = { type: 'x/not-found', status: 404, title: 'Title', detail: 'Nothing lies there.', errors: [] };
    app.inboxAnswers = [{ ...file, state: 'rejected', reason }];
    expect(await app.submit([URL, '--wait'], quick)).toMatchObject({
      code: EXIT.notFound,
      err: expect.stringContaining('Nothing lies there.'),
    });
  });

  it('has the format of the option if its name does not contain it', async () => {
    await app.submit(['https://files.example/export?id=3', '--format', 'csv', '--encoding', 'gzip']);
    expect(JSON.parse(app.arrived[0]?.text ?? '')).toMatchObject({ fileName: 'export.csv.gz' });
  });

  it.each([
    [[URL, 'a.csv'], 'an address cannot be combined with other files'],
    [[URL, '--via', 'http'], 'which goes through the inbox'],
    [[URL, '--validate'], 'validateAtIntake'],
    [['https://files.example/book.xlsx'], 'imports only text formats, got book.xlsx'],
    [['https://files.example/a.json', '--decimal', 'comma'], 'expected a CSV file'],
  ])('refuses %j', async (args, message) => {
    expect(await app.submit(args)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(message) });
    expect(app.arrived).toEqual([]);
  });
});
