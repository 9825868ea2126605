/**
 * A Functions host whose durable backend asks a test before and after every change of state: `FAULT_URL` is posted the
 * operation and phase; any answer but 200 makes the operation fail there.
 */

import process from 'node:process';
import { parseArgs } from 'node:util';
import { startHost } from 'functions-local/host';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, 'state-dir': { type: 'string', default: '' } },
});

async function fault(operation: string, phase: string): Promise<void> {
  const answer = await fetch(`${process.env.FAULT_URL}/${operation}/${phase}`, { method: 'POST' });
  if (answer.status !== 200) throw new Error(`injected ${phase} ${operation}`);
}

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    console.error(event, error);
    process.exit(1);
  });
}

const host = await startHost({
  appFolder: positionals[0] ?? '.',
  port: Number(values.port),
  stateDir: values['state-dir'],
  ...(process.env.FAULT_URL === undefined ? {} : { durable: { fault } }),
});
process.once('SIGTERM', () => void host.stop().then(() => process.exit(0)));
console.log(`Host started on ${host.url}`);
