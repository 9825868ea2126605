import { processIo } from './io.ts';
import { runSluice } from './run.ts';

// Whoever reads has seen enough, as `head` has: that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await runSluice(process.argv.slice(2), processIo());
