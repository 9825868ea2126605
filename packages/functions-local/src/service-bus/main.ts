import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { onStopSignals } from '../stop-signals.ts';
import { startServiceBus } from './index.ts';

const usage = 'node src/service-bus/main.ts --config FILE --file DB [--port N] [--key-name X] [--key Y]';

const options = {
  config: { type: 'string' },
  file: { type: 'string' },
  port: { type: 'string', default: '0' },
  'key-name': { type: 'string' },
  key: { type: 'string' },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const { config, file, port, key } = values;
  const keyName = values['key-name'];
  if (config === undefined || file === undefined) throw new Error(`Expected --config and --file. Usage: ${usage}`);
  const bus = await startServiceBus({
    config: JSON.parse(readFileSync(config, 'utf8')),
    file,
    port: Number(port),
    ...(keyName === undefined ? {} : { keyName }),
    ...(key === undefined ? {} : { key }),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  onStopSignals(() => void bus.close());
  process.stdout.write(`${JSON.stringify({ port: bus.port, connectionString: bus.connectionString })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
