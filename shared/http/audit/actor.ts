import { storableLine } from '../../contract/text/text.ts';

/** A name, and whether Microsoft Entra ID has verified it. */
export interface Actor {
  by: string;
  verified: boolean;
}

const MAX_NAME = 80;
/** Claims that contain the name of a person or an application, by preference. `name_typ` represents the claim of that type. */
const NAMES = [
  'preferred_username',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'name_typ',
  'name',
  'azp',
  'appid',
];

/**
 * Returns the actor of a request. `isAuthenticated` means that App Service authentication is in front of the app and sets
 * `x-ms-client-principal` itself; otherwise any client could forge that header. Without a principal, the actor is the name
 * that the request contains.
 */
export function actorOf(headers: { get(name: string): string | null }, isAuthenticated: boolean): Actor {
  const principal = isAuthenticated ? principalOf(headers.get('x-ms-client-principal') ?? '') : '';
  if (principal !== '') return { by: principal, verified: true };
  return { by: shown(decoded(headers.get('sluice-operator') ?? '')), verified: false };
}

/**
 * Base64 of JSON, with `name_typ` as the type of the claim to show. Source: Microsoft Learn:
 * configure-authentication-user-identities.
 */
function principalOf(header: string): string {
  const claims = claimsOf(header);
  const names = NAMES.map((type) => shown(claims.get(type) ?? ''));
  return names.find((name) => name !== '') ?? '';
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

/** Headers contain only Latin-1, so clients send `encodeURIComponent` of the name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes control characters and those that change the direction of text. */
const shown = (text: string): string => storableLine(text.replaceAll(/\p{C}/gu, '').trim(), MAX_NAME);
