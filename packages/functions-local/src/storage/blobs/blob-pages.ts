/** Pages of blob listings. */
import { type PassingAnswer, readBody } from '../call.ts';
import { AFTER_EMPTY, type Paging, withQuery } from '../pages.ts';
import type { Request } from '../request.ts';

const MAX_PAGE = 5_000;

/** Runs the listing with at most as many blobs per page as the policy allows. */
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

/** Returns the answer without its blobs, but with a continuation token. */
async function emptyPage(answer: PassingAnswer): Promise<PassingAnswer> {
  if (answer.status !== 200) return answer;
  const page = (await readBody(answer.body)).toString();
  const empty = page
    .replace(/<Blobs>.*<\/Blobs>/s, '<Blobs/>')
    .replace(/<NextMarker\s*\/>|<NextMarker>.*<\/NextMarker>/s, `<NextMarker>${AFTER_EMPTY}</NextMarker>`);
  return { ...answer, body: Buffer.from(empty) };
}
