import { useEffect, useState } from 'preact/hooks';

export const TABS = ['overview', 'dead-letters', 'report', 'receipt'] as const;
export type Tab = (typeof TABS)[number];

/** Where in the dashboard somebody is. */
export type Place =
  | { page: 'queues' }
  | { page: 'batches' }
  | { page: 'batch'; id: string; tab: Tab }
  | { page: 'inbox' }
  | { page: 'upload' }
  | { page: 'cost' };

/** The place that an address fragment names; the queues for any other. */
function readPlace(hash: string): Place {
  const [page = '', id = '', tab = ''] = hash.replace(/^#\/?/, '').split('/');
  if (page === 'batches' && id === '') return { page: 'batches' };
  if (page === 'batches' && /^[0-9a-f-]{36}$/.test(id)) {
    return { page: 'batch', id, tab: TABS.find((name) => name === tab) ?? 'overview' };
  }
  if (page === 'inbox' || page === 'upload' || page === 'cost') return { page };
  return { page: 'queues' };
}

/** The address of a batch's page. */
export const batchHref = (id: string, tab: Tab = 'overview'): string =>
  `#/batches/${id}${tab === 'overview' ? '' : `/${tab}`}`;

/** Goes somewhere else. */
export const goTo = (href: string): void => {
  location.hash = href;
};

/** Where somebody is, as it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = (): void => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return readPlace(hash);
}
