import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isWorkloadName, MAX_QUEUE_NAME, queueName } from '../../shared/contract/names.ts';
import { CliError } from '../process/errors.ts';
import { addToIndex, importName } from './add-to-index.ts';
import { formatText } from './format-text.ts';
import { DEFAULT_PLAN, type WorkloadPlan } from './plan.ts';
import { testText, workloadText } from './templates.ts';

/** The workload cannot be created; the message contains the reason. */
export class NewWorkloadError extends CliError {
  override name = 'NewWorkloadError';
}

/** The paths of the files of a new workload. */
export interface NewWorkload {
  workload: string;
  test: string;
  index: string;
}

/**
 * Writes the workload and its test, and adds the workload to the registry. Overwrites no file, and checks everything before it
 * writes the first one.
 * @throws NewWorkloadError if the name is invalid or in use.
 */
export async function createWorkload(
  root: string,
  name: string,
  plan: WorkloadPlan = DEFAULT_PLAN,
): Promise<NewWorkload> {
  checkName(name);
  const tests = testFolder(root);
  const paths = {
    workload: join(root, 'workloads', `${name}.ts`),
    test: join(root, tests, `${name}.test.ts`),
    index: join(root, 'workloads/index.ts'),
  };
  for (const path of [paths.workload, paths.test]) await checkFree(path);
  const index = addToIndex(await readFile(paths.index, 'utf8'), name);
  if (index === undefined) throw new NewWorkloadError(`${paths.index} has no createRegistry([…]) to add "${name}" to.`);
  const format = (text: string): Promise<string> => formatText(text, root);
  const [workload, test] = await Promise.all(
    [workloadText(name, plan), testText(name, plan, relative(tests, 'workloads'))].map(format),
  );
  await write(paths.workload, workload ?? '');
  await write(paths.test, test ?? '');
  await writeFile(paths.index, index);
  return paths;
}

/** A large app has a folder for the tests of its workloads; a small one has all tests in one folder. */
const testFolder = (root: string): string =>
  ['tests/unit/workloads', 'tests/workloads'].find((path) => existsSync(join(root, path))) ?? 'tests';

function checkName(name: string): void {
  if (!isWorkloadName(name))
    throw new NewWorkloadError(`Expected lower-case words joined by single dashes, got ${JSON.stringify(name)}.`);
  const queue = queueName(name, 'normal', 0);
  if (queue.length > MAX_QUEUE_NAME)
    throw new NewWorkloadError(`Expected a name of at most ${name.length + MAX_QUEUE_NAME - queue.length} characters.`);
  if (importName(name) === undefined)
    throw new NewWorkloadError(
      `"${name}" is a reserved word of JavaScript: choose a name that describes the items, such as ${name}-orders.`,
    );
}

async function checkFree(path: string): Promise<void> {
  const taken = await readFile(path).then(
    () => true,
    () => false,
  );
  if (taken)
    throw new NewWorkloadError(`${path} already exists. Choose another name, or delete the files of an earlier call.`);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' });
}
