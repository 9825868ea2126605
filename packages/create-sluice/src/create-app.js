import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { appParts, packTarballs } from './parts.js';

const TEMPLATE = join(import.meta.dirname, '../template');
/** Names that npm would not pack, or that would make the template a package of its own. */
const RENAMED = { gitignore: '.gitignore', github: '.github', 'package.json.txt': 'package.json' };
/** A name that npm, azd and Azure accept. */
const NAME = /^[a-z][a-z0-9-]{0,38}[a-z0-9]$/;
const EXAMPLE = ['workloads/billing.ts', 'samples/billing.csv', 'tests/billing.test.ts'];

/**
 * Creates an app in `folder`, which must not exist or be empty.
 * @param {string} folder relative to the working folder
 * @param {{ from?: string | undefined; isInstalled: boolean; packages?: string | undefined; print: (line: string) => void }} options
 *   `from`: a sample that makes the first workload; `packages`: a folder with tarballs of the packages
 * @throws Error if the name or the sample is invalid, the folder is not empty, or npm fails
 */
export async function createApp(folder, { from, isInstalled, packages, print }) {
  const root = resolve(folder);
  const name = basename(root);
  if (!NAME.test(name))
    throw new Error(`Expected a name of 2 to 40 lower-case letters, digits and dashes, got "${name}".`);
  if (from !== undefined && !isInstalled) throw new Error('--from needs the installed packages: omit --no-install.');
  const sample = from === undefined ? undefined : await readable(from);
  if ((await readdir(root).catch(() => [])).length > 0)
    throw new Error(`Expected an empty folder, but ${root} has files.`);
  await mkdir(root, { recursive: true });
  const parts = await appParts();
  const tarballs = packages === undefined && !parts.isCheckout ? {} : await tarballsOf(root, packages, print);
  await writeTemplate(root, name);
  for (const [path, text] of Object.entries(parts.files)) await writeFile(join(root, path), text);
  await writePackage(root, parts.versions, tarballs);
  if (sample !== undefined) await withoutExample(root);
  if (isInstalled) {
    print('Installing the packages');
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], root);
  }
  if (sample !== undefined) await workloadFrom(root, sample);
  print(`Created ${name} in ${root}`);
  const steps = [
    `cd ${relative(process.cwd(), root) || '.'}`,
    ...(isInstalled ? [] : ['npm install']),
    'npm start',
    'npm test',
  ];
  print(`Next: ${steps.join(' && ')}`);
}

/** @param {string} file */
async function readable(file) {
  const path = resolve(file);
  await readFile(path).catch(() => {
    throw new Error(`--from: ${path} cannot be read.`);
  });
  return path;
}

/**
 * @param {string} root
 * @param {string} name
 */
async function writeTemplate(root, name) {
  const filter = (/** @type {string} */ path) => !PARTS.includes(relative(TEMPLATE, path));
  for (const entry of await readdir(TEMPLATE)) {
    const target = join(root, RENAMED[/** @type {keyof typeof RENAMED} */ (entry)] ?? entry);
    await cp(join(TEMPLATE, entry), target, { recursive: true, filter });
  }
  for (const file of ['package.json', 'README.md', 'azure.yaml', 'infra/main.bicepparam']) {
    const text = await readFile(join(root, file), 'utf8');
    await writeFile(join(root, file), text.replaceAll('{name}', name));
  }
}

/** Files that a packed template has besides its own: src/parts.js reads them. */
const PARTS = ['versions.json'];

/**
 * @param {string} root
 * @param {import('./parts.js').Versions} versions
 * @param {Record<string, string>} tarballs
 */
async function writePackage(root, versions, tarballs) {
  const file = join(root, 'package.json');
  const about = JSON.parse(await readFile(file, 'utf8'));
  for (const kind of /** @type {const} */ (['dependencies', 'devDependencies']))
    about[kind] = Object.fromEntries(
      Object.entries(versions[kind]).map(([key, range]) => [key, tarballs[key] ?? range]),
    );
  await writeFile(file, `${JSON.stringify(about, null, 2)}\n`);
}

/**
 * Puts tarballs of the packages beside the app, and returns what its package.json says instead of their versions.
 * @param {string} root
 * @param {string | undefined} packages
 * @param {(line: string) => void} print
 */
async function tarballsOf(root, packages, print) {
  const folder = join(root, 'packages');
  await mkdir(folder, { recursive: true });
  if (packages === undefined) {
    print('Packing the packages of this checkout, because they are not published yet');
    await packTarballs(folder);
  } else for (const file of await readdir(packages)) await copyFile(join(packages, file), join(folder, file));
  const found = (await readdir(folder)).flatMap((file) => {
    const [, name] = /^(.*)-\d+\.\d+\.\d+\.tgz$/.exec(file) ?? [];
    return name === undefined ? [] : [[name, `file:packages/${file}`]];
  });
  return Object.fromEntries(found);
}

/** @param {string} root */
async function withoutExample(root) {
  for (const path of EXAMPLE) await rm(join(root, path));
  const index = join(root, 'workloads/index.ts');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.replace("import billing from './billing.ts';\n", '').replace('[billing]', '[]'));
}

/**
 * Makes the first workload from a sample, which becomes its file in samples/ and that of the smoke test.
 * @param {string} root
 * @param {string} sample
 */
async function workloadFrom(root, sample) {
  const [stem = '', ...endings] = basename(sample).split('.');
  const workload = stem
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  await run('npx', ['--no-install', 'sluice', 'new-workload', workload, '--from', sample], root);
  const file = [workload, ...endings].join('.');
  await copyFile(sample, join(root, 'samples', file));
  const deploy = join(root, '.github/workflows/deploy.yml');
  const text = await readFile(deploy, 'utf8');
  await writeFile(deploy, text.replace('billing --file samples/billing.csv', `${workload} --file samples/${file}`));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
async function run(command, args, cwd) {
  // npm is a script on Windows, which only a shell starts; none of the arguments is text of a user except a path.
  const child = spawn(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  const code = await new Promise((done, fail) => child.once('exit', done).once('error', fail));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with exit code ${code}.`);
}
