/** Decides which blobs may be imported. Pure; applied when an import is requested, and again when it starts. */
import { blobNameFault } from '../../contract/text/blob-name.ts';
import { Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';

/** Maximum length of an address in characters. */
export const MAX_URL = 4_096;

/**
 * Parses the address of a blob and checks that it may be imported. The app's identity can read every container, including
 * those of the pipeline, so only declared containers are allowed. `account`: URL of the blob service of the app's own
 * storage account.
 * @throws Problem 'invalid-parameter' that says what is allowed. It never contains the query, which may contain a
 * signature.
 */
export function ownBlob(
  text: string,
  { account, workload }: { account: string; workload: Pick<Workload, 'name' | 'containers'> },
): { container: string; name: string } {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
  const service = `${account.replace(/\/+$/, '')}/`;
  if (!url?.href.startsWith(service))
    throw refused(
      `url must be the address of a blob in the app's own storage account, of at most ${MAX_URL} characters. Send a file of another host as an upload, or copy it into the account.`,
    );
  if (url.search !== '')
    throw refused(
      'url must have no query: the app reads its own storage account with its identity, and only the current version of a blob.',
    );
  const path = url.pathname.slice(new URL(service).pathname.length);
  const [container = '', ...rest] = decoded(path).split('/');
  if (!workload.containers.includes(container)) {
    const declared = workload.containers.length === 0 ? 'none' : workload.containers.join(', ');
    throw refused(
      `Workload "${workload.name}" can import only from its containers (${declared}); got "${container.slice(0, 63)}".`,
    );
  }
  const name = rest.join('/');
  const fault = blobNameFault(name);
  if (fault !== undefined) throw refused(`The name of the blob ${fault}.`);
  return { container, name };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refused('The path of url is not percent-encoded UTF-8.');
  }
}

const refused = (detail: string): Problem => new Problem('invalid-parameter', detail);
