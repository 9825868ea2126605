/** Decides which addresses may be imported from. Pure; applied when an import is requested, and again when it starts. */
import { blobNameFault } from '../../contract/text/blob-name.ts';
import { Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';

/**
 * The source of an import: a blob of the app's own storage account, read with its identity, or a host of SLUICE_URL_HOSTS.
 */
export type ImportSource = { kind: 'blob'; container: string; name: string } | { kind: 'https'; url: URL };

export interface SourceRules {
  /** As in SLUICE_URL_HOSTS: `files.example.com`, or `*.example.com` for all of its subdomains. */
  hosts: readonly string[];
  /** URL of the blob service of the app's own storage account. */
  account: string;
  workload: Pick<Workload, 'name' | 'containers'>;
}

/** Maximum length of an address in characters; a shared access signature has about 200. */
export const MAX_URL = 4_096;

/**
 * Parses an address and checks that it may be imported from.
 * @throws Problem 'invalid-parameter' that says what is allowed. It never contains the query, which may contain a
 * signature.
 */
export function allowedSource(text: string, rules: SourceRules): ImportSource {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refused(`url must be an https address of at most ${MAX_URL} characters.`);
  if (url.username !== '' || url.password !== '') throw refused('url must not contain a user name or a password.');
  const account = `${rules.account.replace(/\/+$/, '')}/`;
  if (url.href.startsWith(account)) return ownBlob(url, url.pathname.slice(new URL(account).pathname.length), rules);
  if (url.protocol !== 'https:') throw refused(`url must begin with https:, got "${url.protocol}".`);
  if (url.port !== '') throw refused(`url must use the port of https, 443; got ${url.port}.`);
  // An IP address never matches: settings.ts accepts only names, and URL normalizes every notation of an IPv4 address.
  if (rules.hosts.some((host) => isOfHost(url.hostname, host))) return { kind: 'https', url };
  const allowed = rules.hosts.length === 0 ? 'is empty' : `allows ${rules.hosts.join(', ')}`;
  throw refused(`Host "${url.hostname}" is not allowed: the setting SLUICE_URL_HOSTS ${allowed}.`);
}

const isOfHost = (hostname: string, host: string): boolean =>
  host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;

/**
 * The app's identity can read every container, including those of the pipeline, so only declared containers are allowed.
 */
function ownBlob(url: URL, path: string, { workload }: SourceRules): ImportSource {
  if (url.search !== '')
    throw refused(
      'url must have no query: the app reads its own storage account with its identity, and only the current version of a blob.',
    );
  const [container = '', ...rest] = decoded(path).split('/');
  if (!workload.containers.includes(container)) {
    const declared = workload.containers.length === 0 ? 'none' : workload.containers.join(', ');
    throw refused(
      `In the app's own storage account, workload "${workload.name}" can import only from its containers (${declared}); got "${container.slice(0, 63)}".`,
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

/** Returns an address without its query, for logs, listings and messages. */
export function withoutQuery(text: string): string {
  if (!URL.canParse(text)) return '';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
