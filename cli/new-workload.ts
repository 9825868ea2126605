/** `npm run new-workload NAME`: a workload to begin with, its test, and its line in the registry. */
import { relative, resolve } from 'node:path';
import { createWorkload, NewWorkloadError } from './new-workload/create-workload.ts';

const USAGE = `Usage: npm run new-workload NAME
  NAME   lower-case words joined by dashes, such as invoice-checks`;
const root = resolve(import.meta.dirname, '..');
const [name, ...more] = process.argv.slice(2);

if (name === undefined || more.length > 0 || name.startsWith('-')) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    const { workload, test, index } = await createWorkload(root, name);
    const file = (path: string): string => relative(root, path);
    console.log(`Made ${file(workload)}
Made ${file(test)}
Added it to ${file(index)}

Next: npx vitest run ${file(test)}
Then: npm start -- FILE --workload ${name}
docs/workloads.md goes through all of it.`);
  } catch (error) {
    if (!(error instanceof NewWorkloadError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
