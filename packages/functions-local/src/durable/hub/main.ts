import { parseArgs } from 'node:util';
import { onStopSignals } from '../../stop-signals.ts';
import { startTaskHub } from './task-hub.ts';

const USAGE = 'Usage: main.ts --file DB [--port N] [--delays push|azure]';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      file: { type: 'string' },
      port: { type: 'string', default: '0' },
      delays: { type: 'string', default: 'push' },
    },
  });
  const { file, port, delays } = values;
  if (file === undefined || (delays !== 'push' && delays !== 'azure')) throw new Error(USAGE);
  const hub = await startTaskHub({
    file,
    delays,
    port: Number(port),
    log: (level, message) => {
      if (level !== 'debug') process.stdout.write(`[${new Date().toISOString()}] ${level}: ${message}\n`);
    },
  });
  onStopSignals(() => void hub.close().then(() => process.exit(0)));
  process.stdout.write(`Task hub on ${hub.url}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
