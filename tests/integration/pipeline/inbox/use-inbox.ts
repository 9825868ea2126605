/** What the tests of the inbox and its routes share: a world whose inbox is empty before each test. */
import functions from '@azure/functions';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { listInbox } from '../../../../shared/http/inbox/files.ts';
import { inboxListSchema } from '../../../../shared/http/inbox/schemas.ts';
import { type InboxResult, scanInbox } from '../../../../shared/intake/inbox/inbox.ts';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { answering } from '../../../helpers/fakes/answering.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';
import { itemsOf, ndjson, startWorld, type World } from '../../in-process/world.ts';

/** Creates a request of a route below `api/`. */
export const request = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: unknown) =>
  new functions.HttpRequest({
    url: `http://localhost/api/${path}`,
    method,
    ...(body === undefined ? {} : { body: { string: JSON.stringify(body) } }),
  });

/** Calls a handler like the app: problems become responses. */
export const call = (handler: Parameters<typeof answering>[0], asked: functions.HttpRequest) =>
  answering(handler)(asked, undefined as never);

/** Registers the hooks of a test file; `world` exists while its tests run. */
export function useInbox() {
  const use = {} as { world: World };
  beforeAll(async () => {
    use.world = await startWorld();
  });
  beforeEach(() => use.world.reset());
  afterAll(() => use.world.stop());
  afterEach(async () => {
    use.world.topic.broken = false;
    for (const name of ['inbox', 'inbox-done', 'inbox-rejected']) {
      const container = use.world.clients.container(name);
      for await (const blob of container.listBlobsFlat()) await container.deleteBlob(blob.name);
    }
  });
  return Object.assign(use, {
    /** Runs one inbox scan. */
    collect: (deps: Partial<InboxDeps> = {}): Promise<InboxResult> =>
      withLog(SILENT_LOG, () => scanInbox({ ...use.world.deps, settings: use.world.settings, ...deps })),
    drop: (name: string, content = ndjson(itemsOf(3)), metadata: Record<string, string> = {}) =>
      use.world.clients.container('inbox').getBlockBlobClient(name).upload(content, content.length, { metadata }),
    propertiesOf: (container: string, name: string) =>
      use.world.clients.container(container).getBlobClient(name).getProperties(),
    namesIn: async (container: string): Promise<string[]> => {
      const names: string[] = [];
      for await (const { name } of use.world.clients.container(container).listBlobsFlat()) names.push(name);
      return names;
    },
    /** Lists the inbox over HTTP; `next` is the query of the next page. */
    list: async (query = '', listTaking = async function* (): AsyncGenerator<never> {}) => {
      const deps = { container: use.world.clients.container, registry: use.world.deps.registry, listTaking };
      const answer = await call((asked) => listInbox(deps, asked), request(`inbox${query}`));
      const next = /<\/api\/inbox(.*)>/.exec((answer.headers as Record<string, string> | undefined)?.link ?? '')?.[1];
      return {
        ...answer,
        next,
        files: answer.status === undefined ? inboxListSchema.parse(answer.jsonBody).files : [],
      };
    },
  });
}
