import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Instance, type LocalStack, type StackOptions, startStack } from 'functions-local';

const APP = fileURLToPath(new URL('./app', import.meta.url));

const Properties = { LockDuration: 'PT5S', MaxDeliveryCount: 10 };
const ENTITIES = {
  UserConfig: {
    Namespaces: [
      { Name: 'local', Topics: [{ Name: 'events', Properties: {}, Subscriptions: [{ Name: 'all', Properties }] }] },
    ],
  },
};

/** A line of the app's journal. */
export interface Entry {
  what: string;
  id: string;
  instance: string;
  atMs: number;
}

/** Sends a request on a separate connection, so that the router chooses an instance for each. */
export interface Answer {
  status: number;
  text: string;
}

/** The fixture's app on several instances. */
export interface InstancesStack {
  stack: LocalStack;
  messages: string[];
  journal(what: string, id?: string): Entry[];
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  /** Starts a fan-out with one activity per id, and returns the URL of its status. */
  fanOut(ids: readonly string[], ms: number): Promise<string>;
  instance(name: string | undefined): Instance;
  stop(): Promise<void>;
}

/** Starts the app with these options, and these settings in addition to its own. */
export async function startInstances(
  options: Partial<StackOptions> = {},
  added: Readonly<Record<string, string>> = {},
): Promise<InstancesStack> {
  const folder = await mkdtemp(join(tmpdir(), 'instances-test-'));
  const journalFile = join(folder, 'journal');
  const messages: string[] = [];
  const stack = await startStack({
    folder,
    appFolder: APP,
    entities: ENTITIES,
    layout: { containers: [], tables: [] },
    settings: ({ serviceBus, storage }) => ({
      ...{ Bus: serviceBus, AzureWebJobsStorage: storage, JOURNAL: journalFile },
      ...added,
    }),
    instances: 3,
    onProgress: (line) => void messages.push(line),
    ...options,
  });
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${stack.url}/api/${path}`, { method, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const get = (path: string) => ask('GET', path);
  const post = (path: string, body: unknown) => ask('POST', path, body);
  return {
    ...{ stack, messages, get, post },
    journal: (what, id) => {
      const lines = existsSync(journalFile) ? readFileSync(journalFile, 'utf8').trim().split('\n') : [];
      return lines.map(toEntry).filter((entry) => entry.what === what && (id === undefined || entry.id === id));
    },
    fanOut: async (ids, ms) => {
      const { text } = await post('start', { ids, ms });
      return (JSON.parse(text) as { statusQueryGetUri: string }).statusQueryGetUri;
    },
    instance: (name) => {
      const found = stack.instances.find((instance) => instance.name === name);
      if (!found) throw new Error(`No instance is called ${name}`);
      return found;
    },
    stop: async () => {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toEntry(line: string): Entry {
  const [what = '', id = '', instance = '', at = ''] = line.split(' ');
  return { what, id, instance, atMs: Number(at) };
}
