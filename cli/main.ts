import { isAppCommand } from './app-commands.ts';
import { processIo } from './process/io.ts';
import { runSluice } from './run.ts';

// The reader of a pipe may close it early, as `head` does. This is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const [name = '', ...args] = process.argv.slice(2);
// They load the local stack, which only developers of an app have.
if (isAppCommand(name)) (await import('../local/commands.ts')).APP_COMMANDS[name](args, processIo().folder);
else process.exitCode = await runSluice(process.argv.slice(2), processIo());
