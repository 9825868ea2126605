/** Which addresses may be imported from. Pure; checked when an import is ordered, and again when it is made. */
import { blobNameFault } from '../../contract/text/blob-name.ts';
import { Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';

/** Where the content comes from: a blob of the app's own storage account, read by its identity, or a host of the setting. */
export type ImportSource = { kind: 'blob'; container: string; name: string } | { kind: 'https'; url: URL };

export interface SourceRules {
  /** As in SLUICE_URL_HOSTS: `files.example.com`, or `*.example.com` for all hosts below. */
  hosts: readonly string[];
  /** Address of the blob service of the app's own storage account. */
  account: string;
  workload: Pick<Workload, 'name' | 'containers'>;
}

/** Most characters of an address; a shared access signature takes some 200. */
export const MAX_URL = 4_096;

/**
 * Reads an address and checks that it may be imported from.
 * @throws Problem 'invalid-parameter' saying what is allowed. It never repeats the query, which may hold a signature.
 */
export function allowedSource(text: string, rules: SourceRules): ImportSource {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refused(`url must be an https address of at most ${MAX_URL} characters.`);
  if (url.username !== '' || url.password !== '') throw refused('url must not hold a user name or a password.');
  const account = `${rules.account.replace(/\/+$/, '')}/`;
  if (url.href.startsWith(account)) return ownBlob(url, url.pathname.slice(new URL(account).pathname.length), rules);
  if (url.protocol !== 'https:') throw refused(`url must begin with https:, got "${url.protocol}".`);
  if (url.port !== '') throw refused(`url must use the port of https, 443; got ${url.port}.`);
  // An IP address never matches: settings.ts takes names only, and a URL has every number of IPv4 in its plain form.
  if (rules.hosts.some((host) => isOfHost(url.hostname, host))) return { kind: 'https', url };
  const allowed = rules.hosts.length === 0 ? 'there is none' : `there are ${rules.hosts.join(', ')}`;
  throw refused(`Host "${url.hostname}" is not among those of the setting SLUICE_URL_HOSTS; ${allowed}.`);
}

const isOfHost = (hostname: string, host: string): boolean =>
  host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;

/** The identity of the app may read every container, those of the pipeline among them, so only declared ones are allowed. */
function ownBlob(url: URL, path: string, { workload }: SourceRules): ImportSource {
  if (url.search !== '')
    throw refused('url must have no query: the app reads its own storage account by its identity, as the blob is now.');
  const [container = '', ...rest] = decoded(path).split('/');
  if (!workload.containers.includes(container)) {
    const declared = workload.containers.length === 0 ? 'none' : workload.containers.join(', ');
    throw refused(
      `Of the app's own storage account, workload "${workload.name}" imports from its containers only (${declared}); got "${container.slice(0, 63)}".`,
    );
  }
  const name = rest.join('/');
  const fault = blobNameFault(name);
  if (fault !== undefined) throw refused(`The name of the blob ${fault}.`);
  return { kind: 'blob', container, name };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refused('The path of url is not percent-encoded UTF-8.');
  }
}

const refused = (detail: string): Problem => new Problem('invalid-parameter', detail);

/** An address without its query, for logs, listings and messages. */
export function withoutQuery(text: string): string {
  if (!URL.canParse(text)) return '';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
