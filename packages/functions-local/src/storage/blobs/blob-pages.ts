/** Pages of blob listings. */
import { type PassingAnswer, readBody } from '../call.ts';
import { AFTER_EMPTY, type Paging, withQuery } from '../pages.ts';
import type { Request } from '../request.ts';

const MAX_PAGE = 5_000;

/** Carries the listing out on a URL with at most as many blobs as the policy says. */
export async function listPage(
  request: Request,
  { pages: policy, beginsEmpty }: Paging,
  send: (url: string) => Promise<PassingAnswer>,
): Promise<PassingAnswer> {
  const marker = request.query.get('marker') ?? '';
  if (marker === '' && beginsEmpty()) return emptyPage(await send(request.head.url));
  const asked = Number(request.query.get('maxresults') ?? MAX_PAGE);
  const changes = {
    ...(marker === AFTER_EMPTY && { marker: undefined }),
    ...(policy.blobs < asked && { maxresults: String(policy.blobs) }),
  };
  return send(Object.keys(changes).length === 0 ? request.head.url : withQuery(request.head.url, changes));
}

/** The answer without its blobs, with a token. */
async function emptyPage(answer: PassingAnswer): Promise<PassingAnswer> {
  if (answer.status !== 200) return answer;
  const page = (await readBody(answer.body)).toString();
  const empty = page
    .replace(/<Blobs>.*<\/Blobs>/s, '<Blobs/>')
    .replace(/<NextMarker\s*\/>|<NextMarker>.*<\/NextMarker>/s, `<NextMarker>${AFTER_EMPTY}</NextMarker>`);
  return { ...answer, body: Buffer.from(empty) };
}
