/** `npm run new-workload -- NAME [--from FILE]`: creates a workload and its test, and registers the workload. */
import { resolve } from 'node:path';
import { newWorkload } from './new-workload/command.ts';
import { processIo } from './process/io.ts';

process.exitCode = await newWorkload(process.argv.slice(2), {
  ...processIo(),
  root: resolve(import.meta.dirname, '..'),
});
