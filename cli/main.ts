import { processIo } from './process/io.ts';
import { runSluice } from './run.ts';

// The reader of a pipe may close it early, as `head` does. This is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await runSluice(process.argv.slice(2), processIo());
