import { expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { convert } from '../../../../cli/upload/convert.ts';

const FILE = { path: '/none/table.parquet', name: 'table.parquet' };

it('says how to install the package if it is not installed', async () => {
  const load = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));

  await expect(convert('parquet', FILE, load)).rejects.toMatchObject({
    message: 'Excel and Parquet files need the optional package sluice-convert, which is not installed.',
    hint: expect.stringContaining('--workspace sluice-convert'),
    exitCode: EXIT.usage,
  });
});

it('reports a package that is broken unchanged', async () => {
  const broken = new SyntaxError('Unexpected token');

  await expect(convert('parquet', FILE, () => Promise.reject(broken))).rejects.toBe(broken);
});

it('reports a file that cannot be converted as a fault of the command line', async () => {
  const { open } = await convert('parquet', FILE);

  await expect(open().toArray()).rejects.toMatchObject({ name: 'CliError', exitCode: EXIT.usage });
  await expect(convert('excel', { ...FILE, name: 'book.xlsx' })).rejects.toMatchObject({
    name: 'CliError',
    exitCode: EXIT.usage,
    hint: expect.stringContaining('.xlsx'),
  });
});
