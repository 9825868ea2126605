/** `npm run func` runs this first: it says what to install if Core Tools are missing or too old. */
import { spawnSync } from 'node:child_process';
import { explainCoreTools } from './explain-core-tools.ts';

const { stdout } = spawnSync('func', ['--version'], { encoding: 'utf8' });
const problem = explainCoreTools(stdout ?? undefined);
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
}
