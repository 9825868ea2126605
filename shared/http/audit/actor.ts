/** By whom a request was made. */
import { storableLine } from '../../contract/text/text.ts';

/** A name, and whether Microsoft Entra ID stands for it. */
export interface Actor {
  by: string;
  verified: boolean;
}

const MAX_NAME = 80;
/** Claims that name a person or an application, the first that there is; `name_typ` stands for the claim of that type. */
const NAMES = [
  'preferred_username',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'name_typ',
  'name',
  'azp',
  'appid',
];

/**
 * The actor of a request. `isAuthenticated`: App Service authentication stands before the app and sets
 * `x-ms-client-principal` itself; without it anybody could forge that header. Else, and for requests that it has let
 * through without a principal, the name that the request gives.
 */
export function actorOf(headers: { get(name: string): string | null }, isAuthenticated: boolean): Actor {
  const principal = isAuthenticated ? principalOf(headers.get('x-ms-client-principal') ?? '') : '';
  if (principal !== '') return { by: principal, verified: true };
  return { by: shown(decoded(headers.get('sluice-operator') ?? '')), verified: false };
}

/** learn: configure-authentication-user-identities: Base64 of JSON, with `name_typ` as the type of the claim to show. */
function principalOf(header: string): string {
  const claims = claimsOf(header);
  for (const type of NAMES) {
    const value = claims.get(type);
    if (value !== undefined && shown(value) !== '') return shown(value);
  }
  return '';
}

function claimsOf(header: string): Map<string, string> {
  try {
    const { name_typ: nameType, claims } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    const found = new Map<string, string>();
    for (const { typ, val } of claims)
      found.set(typ === nameType && !NAMES.includes(typ) ? 'name_typ' : String(typ), String(val));
    return found;
  } catch {
    return new Map();
  }
}

/** A header has Latin-1 only: clients send `encodeURIComponent` of the name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without control characters and those that turn the direction of text. */
const shown = (text: string): string => storableLine(text.replaceAll(/\p{C}/gu, '').trim(), MAX_NAME);
