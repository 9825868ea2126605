/** Pages of blob listings. */
import type { PassingAnswer } from './call.ts';
import { AFTER_EMPTY, type Paging, withQuery } from './pages.ts';
import type { Request } from './request.ts';
import { escapeXml } from './xml.ts';

const MAX_PAGE = 5_000;

/** Carries the listing out on a URL with at most as many blobs as the policy says. */
export async function listPage(
  request: Request,
  { pages: policy, beginsEmpty }: Paging,
  send: (url: string) => Promise<PassingAnswer>,
): Promise<PassingAnswer> {
  const marker = request.query.get('marker') ?? '';
  if (marker === '' && beginsEmpty()) return emptyPage(request);
  const asked = Number(request.query.get('maxresults') ?? MAX_PAGE);
  const changes = {
    ...(marker === AFTER_EMPTY && { marker: undefined }),
    ...(policy.blobs < asked && { maxresults: String(policy.blobs) }),
  };
  return send(Object.keys(changes).length === 0 ? request.head.url : withQuery(request.head.url, changes));
}

function emptyPage({ account, resource = '', query, header }: Request): PassingAnswer {
  const endpoint = `http://${header('host')}/${account}`;
  const delimiter = query.get('delimiter');
  const elements = [
    `<Prefix>${escapeXml(query.get('prefix') ?? '')}</Prefix><Marker />`,
    `<MaxResults>${escapeXml(query.get('maxresults') ?? String(MAX_PAGE))}</MaxResults>`,
    delimiter === null ? '' : `<Delimiter>${escapeXml(delimiter)}</Delimiter>`,
    `<Blobs /><NextMarker>${AFTER_EMPTY}</NextMarker>`,
  ];
  const open = `<EnumerationResults ServiceEndpoint="${escapeXml(endpoint)}" ContainerName="${escapeXml(resource)}">`;
  return {
    status: 200,
    headers: ['Content-Type', 'application/xml', 'x-ms-version', header('x-ms-version') ?? ''],
    body: Buffer.from(`<?xml version="1.0" encoding="utf-8"?>${open}${elements.join('')}</EnumerationResults>`),
  };
}
