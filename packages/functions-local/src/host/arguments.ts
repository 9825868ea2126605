import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { HostOptions } from './host-options.ts';
import { readOrigins } from './http/cors.ts';

/** The help text of the command. */
export const USAGE = `Usage: main.ts [<app folder>] [options]
  -p, --port <n>           port on 127.0.0.1; 0 selects a free one (default: Host.LocalHttpPort, otherwise 7071)
      --enable-auth        enforce function keys
      --keys <file>        keys to enforce (default: keys.json in the state folder, created if missing)
      --state-dir <dir>    timer statuses, keys, durable store (default: node_modules/.cache/functions-host of the app)
      --durable-file <f>   durable store, or :memory:
      --durable-delays <d> push or azure
      --task-hub <url>     task hub that several hosts share, instead of a separate durable store
      --public-url <url>   origin at which clients reach the app (default: the address of the port)
      --response-timeout-ms <n>, --grace-ms <n>
      --cors <origins>     comma-separated origins whose pages can call the app (default: Host.CORS)
      --cors-credentials   let browsers send credentials
      --no-local-settings  do not read local.settings.json
      --no-function-list   do not print the functions at the start
      --verbose            show messages of the host itself
  -h, --help`;

/** The arguments of the command. */
export interface Command {
  options: HostOptions;
  keysFile?: string;
  help: boolean;
}

/** Reads the command line. Throws on an unknown or invalid argument. */
export function readArguments(args: string[]): Command {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: 'string', short: 'p' },
      'enable-auth': { type: 'boolean', default: false },
      enableAuth: { type: 'boolean', default: false },
      keys: { type: 'string' },
      'state-dir': { type: 'string' },
      'durable-file': { type: 'string' },
      'durable-delays': { type: 'string' },
      'task-hub': { type: 'string' },
      'public-url': { type: 'string' },
      'response-timeout-ms': { type: 'string' },
      'grace-ms': { type: 'string' },
      cors: { type: 'string' },
      'cors-credentials': { type: 'boolean', default: false },
      'no-local-settings': { type: 'boolean', default: false },
      'no-function-list': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const appFolder = positionals[0] ?? '.';
  return {
    help: values.help,
    ...(values.keys === undefined ? {} : { keysFile: values.keys }),
    options: {
      appFolder,
      stateDir: values['state-dir'] ?? join(appFolder, 'node_modules', '.cache', 'functions-host'),
      enableAuth: values['enable-auth'] || values.enableAuth,
      verbose: values.verbose,
      ...readOrigin('taskHubUrl', values['task-hub']),
      ...readOrigin('publicUrl', values['public-url']),
      localSettings: !values['no-local-settings'],
      functionList: !values['no-function-list'],
      ...(values.cors === undefined
        ? {}
        : { cors: { origins: readOrigins(values.cors), credentials: values['cors-credentials'] } }),
      ...readNumber('port', values.port),
      ...readNumber('responseTimeoutMs', values['response-timeout-ms']),
      ...readNumber('graceMs', values['grace-ms']),
      durable: {
        ...(values['durable-file'] === undefined ? {} : { file: values['durable-file'] }),
        ...readDelays(values['durable-delays']),
      },
    },
  };
}

function readNumber<K extends string>(name: K, text: string | undefined): { [key in K]?: number } {
  if (text === undefined) return {};
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: expected a whole number, got '${text}'.`);
  return { [name]: value } as { [key in K]?: number };
}

function readOrigin<K extends string>(name: K, text: string | undefined): { [key in K]?: string } {
  if (text === undefined) return {};
  const url = URL.parse(text);
  if (url?.protocol !== 'http:') throw new Error(`${name}: expected an http URL, got '${text}'.`);
  return { [name]: url.origin } as { [key in K]?: string };
}

function readDelays(text: string | undefined): { delays?: 'push' | 'azure' } {
  if (text === undefined) return {};
  if (text === 'push' || text === 'azure') return { delays: text };
  throw new Error(`--durable-delays: expected push or azure, got '${text}'.`);
}
