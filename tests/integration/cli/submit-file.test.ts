import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { xlsx } from '../../helpers/data/tables.ts';
import { accepted, problem, useUploadApp } from './upload-app.ts';

const app = useUploadApp();

describe('the options of an upload', () => {
  it('are sent as parameters and headers, and those that change the reading change the key', async () => {
    await app.write({ 'Umsätze März.csv': 'a;b\n' });
    const options = ['--delimiter', 'semicolon', '--decimal', ',', '--rename', 'Konto Nr.=account', '--validate'];
    const labels = ['--label', 'month=2026-03', '--label', 'owner=Müller, A.'];
    app.answers['a;b\n'] = accepted('b1');
    const keyOf = async (...more: string[]) =>
      JSON.parse((await app.submit(['Umsätze März.csv', ...more, '--json'])).out).idempotencyKey;
    const key = await keyOf(...options, ...labels);
    const [{ url = '', headers = {} } = {}] = app.arrived;
    expect([...new URLSearchParams(url.split('?')[1])]).toEqual([
      ['delimiter', 'semicolon'],
      ['decimal', 'comma'],
      ['rename', 'Konto Nr.=account'],
      ['validate', 'all'],
    ]);
    expect(headers['sluice-labels']).toBe('month=2026-03,owner=M%C3%BCller%2C%20A.');
    expect(headers['sluice-file-name']).toBe('Ums%C3%A4tze%20M%C3%A4rz.csv');
    expect(await keyOf(...options)).toBe(key);
    expect(await keyOf()).not.toBe(key);
    expect(await keyOf('--decimal', 'comma')).not.toBe(key);
  });

  it.each([
    [['--label', 'Month=3'], "label's key"],
    [['--label', 'month'], 'Expected key=value'],
    [['--label', 'a=1', '--label', 'a=2'], 'given twice'],
    [['--delimiter', 'dot'], 'Expected one of comma, semicolon, tab, pipe'],
    [['--rename', 'x'], 'Old name=newName'],
    [['--via', 'inbox', '--inbox-connection', 'x', '--validate'], 'validateAtIntake'],
  ])('are refused if they are invalid: %s', async (args, message) => {
    await app.write({ 'a.csv': 'a\n' });
    const { code, err } = await app.submit(['a.csv', ...args]);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  });

  it('include the delimiter of a .tsv file', async () => {
    await app.write({ 'a.tsv': 'a\tb\n' });
    await app.submit(['a.tsv']);
    expect(app.arrived[0]?.url).toContain('?delimiter=tab');
  });

  it('include --validate, whose errors are printed by line', async () => {
    await app.write({ 'a.csv': 'a\n1\n' });
    const errors = [2, 3].map((line) => ({ line, column: 1, message: 'a: Expected text.' }));
    app.answers['a\n1\n'] = problem('invalid-items', 422, { detail: '2 of 2 items are invalid.', errors });
    const { code, err } = await app.submit(['a.csv', '--validate']);
    expect(code).toBe(EXIT.refused);
    expect(err).toContain('  line 2, column 1: a: Expected text.\n  line 3, column 1: a: Expected text.\n');
  });
});

describe('a workbook', () => {
  const sheets = {
    Notes: [['x']],
    Data: [
      ['Name', 'n'],
      ['Ann', 1.5],
    ],
  };

  it('is sent as CSV, with the sheet as a part of its key', async () => {
    await app.write({ 'book.xlsx': xlsx(sheets) });
    const csv = 'Name,n\nAnn,"1,5"\n';
    app.answers[csv] = accepted('b1');
    const { code, err } = await app.submit(['book.xlsx', '--sheet', 'data', '--decimal', 'comma']);
    expect(code).toBe(EXIT.done);
    expect(err).toContain('Sheet "Data", one of 2; choose another with --sheet\n');
    expect(app.arrived[0]).toMatchObject({ text: csv, url: expect.stringContaining('delimiter=comma&decimal=comma') });
    expect(app.arrived[0]?.headers).toMatchObject({ 'content-type': 'text/csv', 'sluice-file-name': 'book.xlsx' });
    await app.submit(['book.xlsx']);
    expect(app.arrived[1]?.headers['idempotency-key']).not.toBe(app.arrived[0]?.headers['idempotency-key']);
  });

  it('is not accepted in part if a cell contains an error', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => [`row ${n} ${Math.sin(n)}`, n]);
    await app.write({ 'book.xlsx': xlsx({ Data: [['Name', 'n'], ...rows, ['Zoe', { error: '#N/A' }]] }) });
    const { code, err } = await app.submit(['book.xlsx']);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('cell B20002 contains the error #N/A')]);
    expect(app.arrived).toEqual([]);
    await expect.poll(() => app.broken).toBe(1);
  });
});

describe('an upload over a limit', () => {
  const inbox = { SLUICE_INBOX_CONNECTION: 'UseDevelopmentStorage=nonsense' };
  const viaInbox = expect.stringContaining('--inbox-connection: expected');

  it('goes through the inbox if the platform refused it with an empty answer', async () => {
    await app.write({ 'a.ndjson': 'x' });
    app.answers.x = { status: 413 };
    const refused = await app.submit(['a.ndjson']);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('at most 210 MB')]);
    expect(refused.err).toContain('SLUICE_INBOX_CONNECTION');
    expect(refused.err).toContain('several smaller files');
    expect((await app.submit(['a.ndjson'], { env: inbox })).err).toEqual(viaInbox);
  });

  it('goes through the inbox if the app rejects the size of the body', async () => {
    await app.write({ 'a.ndjson': 'x' });
    app.answers.x = problem('body-too-large', 413, { detail: 'The body is over 5 bytes.' });
    expect((await app.submit(['a.ndjson'])).err).toContain('The body is over 5 bytes. Nothing was accepted.');
    expect((await app.submit(['a.ndjson'], { env: inbox })).err).toEqual(viaInbox);
  });

  it('is not sent again if the inbox has the same limit', async () => {
    await app.write({ 'a.ndjson': 'x' });
    app.answers.x = problem('too-large', 413, { detail: 'The upload has over 5 records.' });
    const { code, err } = await app.submit(['a.ndjson'], { env: inbox });
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('over 5 records')]);
    expect(err).not.toContain('inbox');
  });

  it('is not sent again if a single record is too large', async () => {
    await app.write({ 'a.ndjson': 'x', 'b.csv': 'y' });
    const errors = [{ line: 1, column: 1, message: 'Record of over 1 MiB.' }];
    app.answers.x = problem('too-large', 413, { detail: 'Line 1: Record of over 1 MiB.', errors });
    app.answers.y = problem('malformed-record', 400, { detail: 'Line 1: The quote is not closed.', errors });
    for (const file of ['a.ndjson', 'b.csv']) {
      const { code, err } = await app.submit([file], { env: inbox });
      expect([code, err]).toEqual([EXIT.refused, expect.not.stringContaining('inbox')]);
    }
  });
});
