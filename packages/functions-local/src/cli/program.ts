import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { readOrigins } from '../host/http/cors.ts';
import { MAX_INSTANCES } from '../stack/start.ts';

/** The options of `start`. Absent ones have the defaults of Core Tools. */
export interface StartOptions {
  port?: number;
  functions?: string[];
  cors?: string[];
  corsCredentials?: boolean;
  entities?: string;
  instances?: number;
  data?: string;
  verbose?: boolean;
}

/** Output of the parser. */
export interface ProgramOutput {
  out(text: string): void;
  /** Receives an error in the command line, as one line. */
  usageError(line: string): void;
}

type Start = (folder: string, options: StartOptions) => Promise<void>;

/** Creates the command with its help. The parser throws a CommanderError instead of ending the process. */
export function createProgram(start: Start, { out, usageError }: ProgramOutput): Command {
  const program = new Command('functions-local')
    .description(
      'Runs an Azure Functions app of the Node v4 model with the Azure services that it needs, on this machine.',
    )
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({
      writeOut: out,
      writeErr: out,
      outputError: (text) =>
        usageError(
          text
            .trim()
            .replace(/^error: /, '')
            .replaceAll('\n', ' '),
        ),
    })
    .exitOverride();
  program
    .command('start')
    .description('start the app and the services that its settings select')
    .argument('[app]', 'folder with host.json and package.json', '.')
    .option(
      '-p, --port <number>',
      'port of the app on 127.0.0.1; 0 selects a free one (default: Host.LocalHttpPort, otherwise 7071)',
      readPort,
    )
    .option('--functions <names...>', 'names of the functions to load (default: all)')
    .option(
      '--cors <origins>',
      'comma-separated origins whose pages can call the app; * means all (default: Host.CORS)',
      readCors,
    )
    .option('--cors-credentials', 'let browsers send cookies and credentials')
    .option(
      '--entities <file>',
      "queues and topics, as in the config.json of the Service Bus emulator (default: those of the app's triggers)",
    )
    .option('--instances <number>', 'number of instances of the app (default: 1)', readInstances)
    .option('--data <folder>', 'folder for state and logs (default: node_modules/.cache/functions-local of the app)')
    .option('--verbose', 'show messages of the host, and stack traces of an app that cannot be loaded')
    .action(start);
  return program;
}

// The package.json of the package, two folders above the sources and the built files.
function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const MAX_PORT = 65_535;

const readPort = (text: string): number => readInteger(text, 0, MAX_PORT);
const readInstances = (text: string): number => readInteger(text, 1, MAX_INSTANCES);

function readInteger(text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
}

function readCors(text: string): string[] {
  const origins = readOrigins(text);
  if (origins.length === 0) throw new InvalidArgumentError('Expected at least one origin.');
  return origins;
}
