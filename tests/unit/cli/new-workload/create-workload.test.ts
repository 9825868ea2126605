import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addToIndex } from '../../../../cli/new-workload/add-to-index.ts';
import { createWorkload } from '../../../../cli/new-workload/create-workload.ts';

const INDEX = `import { createRegistry } from 'sluice';
import billing from './billing.ts';
import payouts from './payouts.ts';

/** Every workload. */
export const registry = createRegistry([billing, payouts]);
`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-new-'));
  await mkdir(join(root, 'workloads'));
  await mkdir(join(root, 'tests/unit/workloads'), { recursive: true });
  await writeFile(join(root, 'workloads/index.ts'), INDEX);
});
afterEach(() => rm(root, { recursive: true, force: true }));
const text = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

describe('a new workload', () => {
  it('has a file, a test and a line in the registry', async () => {
    await createWorkload(root, 'invoice-checks');
    expect(await text('workloads/invoice-checks.ts')).toContain("name: 'invoice-checks',");
    expect(await text('tests/unit/workloads/invoice-checks.test.ts')).toContain('workloads/invoice-checks.ts');
    const index = await text('workloads/index.ts');
    expect(index).toContain("import invoiceChecks from './invoice-checks.ts';\nimport payouts");
    expect(index).toContain('createRegistry([billing, payouts, invoiceChecks])');
  });

  it('is the first one of an app, with its test in the only folder of tests', async () => {
    await rm(join(root, 'tests'), { recursive: true });
    await writeFile(
      join(root, 'workloads/index.ts'),
      INDEX.replace(/import \w+ from '.\/.*\n/g, '').replace(/\[.*\]/, '[]'),
    );
    await createWorkload(root, 'fees');
    expect(await text('tests/fees.test.ts')).toContain("import workload from '../workloads/fees.ts';");
    expect(await text('workloads/index.ts')).toContain(
      "import { createRegistry } from 'sluice';\nimport fees from './fees.ts';",
    );
    expect(await text('workloads/index.ts')).toContain('createRegistry([fees])');
  });

  it('overwrites no existing file, and then writes none', async () => {
    await createWorkload(root, 'fees');
    await writeFile(join(root, 'workloads/fees.ts'), 'mine');
    await expect(createWorkload(root, 'fees')).rejects.toThrow('fees.ts already exists.');
    expect(await text('workloads/fees.ts')).toBe('mine');
    await rm(join(root, 'workloads/fees.ts'));
    await expect(createWorkload(root, 'fees')).rejects.toThrow('fees.test.ts already exists.');
    await expect(text('workloads/fees.ts')).rejects.toThrow('ENOENT');
  });

  it.each([
    ['Fees', 'Expected lower-case words joined by single dashes, got "Fees".'],
    ['../fees', 'Expected lower-case words'],
    ['', 'Expected lower-case words'],
    ['index', 'index.ts already exists.'],
    ['x'.repeat(60), 'Expected a name of at most 54 characters.'],
    ['delete', '"delete" is a reserved word of JavaScript'],
  ])('is refused with the name %j', async (name, message) => {
    await expect(createWorkload(root, name)).rejects.toThrow(message);
    expect(await text('workloads/index.ts')).toBe(INDEX);
  });

  it('is refused if the registry has an unknown form', async () => {
    await writeFile(join(root, 'workloads/index.ts'), 'export const registry = make();\n');
    await expect(createWorkload(root, 'fees')).rejects.toThrow('has no createRegistry([…])');
    await expect(text('workloads/fees.ts')).rejects.toThrow('ENOENT');
  });
});

describe('the registry', () => {
  it.each([
    ['alpha', "import alpha from './alpha.ts';\nimport billing"],
    ['zeta', "import payouts from './payouts.ts';\nimport zeta from './zeta.ts';\n\n"],
  ])('imports %s in alphabetical order', (name, expected) => {
    expect(addToIndex(INDEX, name)).toContain(expected);
  });
});
