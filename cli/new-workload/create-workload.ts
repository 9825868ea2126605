import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWorkloadName, MAX_QUEUE_NAME, queueName } from '../../shared/contract/names.ts';
import { addToIndex, importName } from './add-to-index.ts';
import { formatText } from './format-text.ts';
import { DEFAULT_PLAN, type WorkloadPlan } from './plan.ts';
import { testText, workloadText } from './templates.ts';

/** The workload cannot be made; the message says why, for the one who asked. */
export class NewWorkloadError extends Error {
  override name = 'NewWorkloadError';
}

/** The files of a new workload. */
export interface NewWorkload {
  workload: string;
  test: string;
  index: string;
}

/**
 * Writes workload and test, and adds the workload to the registry; nothing is overwritten, and what cannot be done is
 * found out before the first file is written.
 * @throws NewWorkloadError for a name that cannot be one, or is taken.
 */
export async function createWorkload(
  root: string,
  name: string,
  plan: WorkloadPlan = DEFAULT_PLAN,
): Promise<NewWorkload> {
  checkName(name);
  const paths = {
    workload: join(root, 'workloads', `${name}.ts`),
    test: join(root, 'tests/unit/workloads', `${name}.test.ts`),
    index: join(root, 'workloads/index.ts'),
  };
  for (const path of [paths.workload, paths.test]) await checkFree(path);
  const index = addToIndex(await readFile(paths.index, 'utf8'), name);
  if (index === undefined) throw new NewWorkloadError(`${paths.index} has no createRegistry([…]) to add "${name}" to.`);
  const format = (text: string): Promise<string> => formatText(text, root);
  const [workload, test] = await Promise.all([workloadText(name, plan), testText(name, plan)].map(format));
  await write(paths.workload, workload ?? '');
  await write(paths.test, test ?? '');
  await writeFile(paths.index, index);
  return paths;
}

function checkName(name: string): void {
  if (!isWorkloadName(name))
    throw new NewWorkloadError(`Expected lower-case words joined by single dashes, got ${JSON.stringify(name)}.`);
  const queue = queueName(name, 'normal', 0);
  if (queue.length > MAX_QUEUE_NAME)
    throw new NewWorkloadError(`Expected a name of at most ${name.length + MAX_QUEUE_NAME - queue.length} characters.`);
  if (importName(name) === undefined)
    throw new NewWorkloadError(`"${name}" is a word of the language: name what the items are, such as ${name}-orders.`);
}

async function checkFree(path: string): Promise<void> {
  const taken = await readFile(path).then(
    () => true,
    () => false,
  );
  if (taken)
    throw new NewWorkloadError(
      `${path} is there already. Choose another name, or delete what an earlier call has made.`,
    );
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' });
}
