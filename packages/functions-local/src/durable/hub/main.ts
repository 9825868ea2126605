import { parseArgs } from 'node:util';
import { onStopSignals } from '../../stop-signals.ts';
import type { FaultPhase } from '../types.ts';
import { startTaskHub } from './task-hub.ts';

const USAGE = 'Usage: main.ts --file DB [--port N] [--delays push|azure] [--fault-url URL]';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      file: { type: 'string' },
      port: { type: 'string', default: '0' },
      delays: { type: 'string', default: 'push' },
      'fault-url': { type: 'string' },
    },
  });
  const { file, port, delays, 'fault-url': faultUrl } = values;
  if (file === undefined || (delays !== 'push' && delays !== 'azure')) throw new Error(USAGE);
  const hub = await startTaskHub({
    file,
    delays,
    port: Number(port),
    ...(faultUrl === undefined ? {} : { fault: createHttpFault(faultUrl) }),
    log: (level, message) => {
      if (level !== 'debug') process.stdout.write(`[${new Date().toISOString()}] ${level}: ${message}\n`);
    },
  });
  onStopSignals(() => void hub.close().then(() => process.exit(0)));
  process.stdout.write(`Task hub on ${hub.url}\n`);
}

/** Posts each change of state to `<url>/<operation>/<phase>`. Any answer but 200 makes the change fail there. */
const createHttpFault = (url: string) => async (operation: string, phase: FaultPhase) => {
  const { status } = await fetch(`${url}/${operation}/${phase}`, { method: 'POST' });
  if (status !== 200) throw new Error(`${operation}: a fault was injected ${phase} its effect`);
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
