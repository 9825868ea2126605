import type { HttpRequest } from '@azure/functions';

/**
 * A parameter that links must never repeat, because keys in links end up in logs. The platform accepts the name in any case.
 */
const isSecret = (name: string): boolean => name.toLowerCase() === 'code';

type Changes = Record<string, string | string[] | undefined>;

/**
 * Returns the `Link` header to the next page: the address of this request with `changes` to its query. Returns no header if
 * there is no next page: then a change is undefined.
 */
export function nextLink(request: HttpRequest, changes: Changes): Record<string, string> {
  const { pathname, searchParams } = new URL(request.url);
  for (const name of [...searchParams.keys()].filter(isSecret)) searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    searchParams.delete(name);
    if (value === undefined) return {};
    for (const each of [value].flat()) searchParams.append(name, each);
  }
  return { link: `<${pathname}?${searchParams}>; rel="next"` };
}
