import { parseArgs } from 'node:util';

/** The options of the smoke test. */
export interface SmokeOptions {
  /** Address of the app. */
  url: string;
  /** Function key of a client system; not required by a local host without keys. */
  key: string | undefined;
  workload: string;
  /** The file to submit; if undefined, a batch of `billing` is generated. */
  file: string | undefined;
  /** On a busy day, the batch should not wait behind all others. If undefined, the workload chooses. */
  lane: string | undefined;
  /** Maximum wait until the batch is finished. */
  timeoutSeconds: number;
  /** Maximum time for which a refused upload is repeated. */
  startTimeoutSeconds: number;
}

const GENERATED = 'billing';
/** The first lane of that workload. */
const LANE = 'high';
const TIMEOUT_SECONDS = 600;

export const USAGE = `Usage: npm run smoke -- --url <address> [options]

Submits a small batch to an app, waits for its report and compares the counts. Exit codes: 0 passed, 1 failed, 2 usage error.

  --url <address>            address of the app, https://<app>.azurewebsites.net (SLUICE_URL)
  --key <key>                function key of a client system (SLUICE_KEY, which the process list does not show)
  --workload <name>          workload of the batch; defaults to ${GENERATED}, for which a batch is generated
  --file <file>              file to submit; required for other workloads
  --lane <lane>              lane of the batch; defaults to ${LANE} for a generated batch
  --timeout <seconds>        maximum wait until the batch is finished; defaults to ${TIMEOUT_SECONDS}
  --start-timeout <seconds>  maximum time for which a refused upload is repeated; defaults to 0`;

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  workload: { type: 'string' },
  file: { type: 'string' },
  lane: { type: 'string' },
  timeout: { type: 'string' },
  'start-timeout': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line and the variables. Returns {@link USAGE} if --help was given, or the message of an error. */
export function readSmokeOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SmokeOptions | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error: unknown) {
    return `${(error as Error).message}\n\n${USAGE}`;
  }
  if (values.help) return USAGE;
  const url = values.url ?? env.SLUICE_URL;
  if (!url) return `--url: expected the address of the app\n\n${USAGE}`;
  const { workload = GENERATED, file } = values;
  if (workload !== GENERATED && file === undefined) return `--workload ${workload}: expected --file as well`;
  const timeoutSeconds = secondsOf(values.timeout, TIMEOUT_SECONDS);
  const startTimeoutSeconds = secondsOf(values['start-timeout'], 0);
  if (timeoutSeconds === undefined || startTimeoutSeconds === undefined)
    return '--timeout, --start-timeout: expected a whole number of seconds';
  const lane = values.lane ?? (file === undefined ? LANE : undefined);
  const key = (values.key ?? env.SLUICE_KEY) || undefined;
  return { url, key, workload, file, lane, timeoutSeconds, startTimeoutSeconds };
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;

function secondsOf(text: string | undefined, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
