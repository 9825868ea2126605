import { parseArgs } from 'node:util';

/** The options of a smoke test. */
export interface SmokeOptions {
  /** Address of the app. */
  url: string;
  /** Function key of a client system; a local host without keys needs none. */
  key: string | undefined;
  workload: string;
  /** The batch; undefined for a generated one of `billing`. */
  file: string | undefined;
  /** Longest wait for the end of the batch. */
  timeoutSeconds: number;
  /** How long the upload is repeated while the app does not accept it. */
  startTimeoutSeconds: number;
}

const GENERATED = 'billing';
const TIMEOUT_SECONDS = 600;

export const USAGE = `Usage: npm run smoke -- --url <address> [options]

Sends a small batch to an app, waits for its report and compares the counts. Exit codes: 0 passed, 1 failed, 2 usage.

  --url <address>            the app, https://<app>.azurewebsites.net (SLUICE_URL)
  --key <key>                function key of a client system (SLUICE_KEY, which no list of processes shows)
  --workload <name>          what the batch is for; default ${GENERATED}, for which one is generated
  --file <file>              the batch of another workload
  --timeout <seconds>        longest wait for the end of the batch; default ${TIMEOUT_SECONDS}
  --start-timeout <seconds>  how long the upload is repeated while the app does not accept it; default 0`;

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  workload: { type: 'string' },
  file: { type: 'string' },
  timeout: { type: 'string' },
  'start-timeout': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line and the variables. Returns {@link USAGE} where it was asked for, and a message for what is wrong. */
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
  if (workload !== GENERATED && file === undefined)
    return `--workload ${workload}: expected --file with a batch for it`;
  const timeoutSeconds = secondsOf(values.timeout, TIMEOUT_SECONDS);
  const startTimeoutSeconds = secondsOf(values['start-timeout'], 0);
  if (timeoutSeconds === undefined || startTimeoutSeconds === undefined)
    return '--timeout, --start-timeout: expected whole seconds';
  return { url, key: (values.key ?? env.SLUICE_KEY) || undefined, workload, file, timeoutSeconds, startTimeoutSeconds };
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;

function secondsOf(text: string | undefined, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
