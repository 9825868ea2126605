import type { HttpRequest } from '@azure/functions';

/** Parameters that a link never repeats: a key in it would end in logs. */
const SECRET = 'code';

type Changes = Record<string, string | string[]>;

/** The `Link` header to the next page: this request's own address with `changes` made to its query; none = no header. */
export function nextLink(request: HttpRequest, changes: Changes | undefined): Record<string, string> {
  if (changes === undefined) return {};
  const { pathname, searchParams } = new URL(request.url);
  searchParams.delete(SECRET);
  for (const [name, value] of Object.entries(changes)) {
    searchParams.delete(name);
    for (const each of [value].flat()) searchParams.append(name, each);
  }
  return { link: `<${pathname}?${searchParams}>; rel="next"` };
}
