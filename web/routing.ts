/**
 * The address of the page: `#/<page>[/<id>[/<tab>]][?<parameters>]`. It contains all that a reload or a link must
 * preserve.
 */
import { computed, signal } from '@preact/signals';

export const TABS = ['overview', 'items', 'dead-letters', 'report', 'receipt'] as const;
export type Tab = (typeof TABS)[number];

const PAGES = ['overview', 'queues', 'batches', 'dead-letters', 'days', 'audit', 'inbox', 'upload'] as const;

export type PageName = (typeof PAGES)[number];

/** A place in the dashboard. */
export type Place =
  | { page: PageName }
  | { page: 'queue'; queue: string }
  | { page: 'batch'; id: string; tab: Tab }
  | { page: 'unknown'; path: string };

const address = signal(location.hash);
const follow = (): void => {
  address.value = location.hash;
};
addEventListener('hashchange', follow);
addEventListener('popstate', follow);

/** The current place. */
export const place = computed((): Place => readPlace(address.value.split('?')[0] ?? ''));

/** The parameters of the address: filters, search, sort order, open sections. */
export const parameters = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

function readPlace(hash: string): Place {
  const path = hash.replace(/^#?\/?/, '').replace(/\/$/, '');
  const [first = '', id, tab = 'overview', ...more] = path.split('/').map(decoded);
  if (path === '') return { page: 'overview' };
  const page = PAGES.find((name) => name === first);
  const isTab = more.length === 0 && (TABS as readonly string[]).includes(tab);
  if (page === 'batches' && id !== undefined && /^[0-9a-f-]{36}$/.test(id) && isTab)
    return { page: 'batch', id, tab: tab as Tab };
  if (page === 'queues' && id !== undefined && /^[a-z0-9-]{3,63}$/.test(id) && tab === 'overview')
    return { page: 'queue', queue: id };
  return page === undefined || id !== undefined ? { page: 'unknown', path } : { page };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address of a page with parameters; empty ones are omitted. */
export function href(path: string, values: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return `#/${path}${query.size === 0 ? '' : `?${query}`}`;
}

/** Returns the address of a batch's page. */
export const batchHref = (id: string, tab: Tab = 'overview'): string =>
  href(`batches/${id}${tab === 'overview' ? '' : `/${tab}`}`);

/** Returns the address of a queue's page. */
export const queueHref = (queue: string): string => href(`queues/${queue}`);

/**
 * Changes parameters of the address; an empty value removes one. `push` adds a history entry for the Back button.
 * Without it, for example during typing, the current entry changes.
 */
export function setParameters(changes: Readonly<Record<string, string>>, { push = false } = {}): void {
  const path = (address.peek().split('?')[0] ?? '').replace(/^#?\/?/, '');
  const next = href(path, { ...Object.fromEntries(parameters.peek()), ...changes });
  if (next === address.peek()) return;
  if (push) history.pushState(null, '', next);
  else history.replaceState(null, '', next);
  follow();
}
