/** Rules of one entity, alone or in a transaction. */

import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import type { Refusal } from '../rules/refusal.ts';
import { invalidInput, outOfRangeInput, type Rule } from '../rules/rule.ts';
import { type Entity, entityBytes, parseEntity } from './entity.ts';
import { isOfItsType, isStorableDate, isTypedByJson } from './property-values.ts';

const WITH_BODY: readonly Operation[] = ['insert-entity', 'replace-entity', 'merge-entity'];
const WITH_KEYS: readonly Operation[] = [...WITH_BODY, 'delete-entity', 'get-entity'];
const WITH_ETAG: readonly Operation[] = ['replace-entity', 'merge-entity', 'delete-entity'];

const MAX_KEY_UNITS = 512;
const MAX_PROPERTIES = 252;
const MAX_NAME_UNITS = 255;
/** Reports about the live service say 64,000 bytes, the documentation says 64 KiB. The stricter limit is used. */
const MAX_STRING_UNITS = 32_000;
const MAX_BINARY_BYTES = 64_000;
const MAX_ENTITY_BYTES = 1024 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the service forbids these in keys
const FORBIDDEN_IN_KEYS = /[/\\#?\u0000-\u001F\u007F-\u009F]/;
const PROPERTY_NAME = /^[\p{L}_][\p{L}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}]*$/u;

const refused = (code: string, message: string): Refusal => ({ status: 400, code, message });

/** Creates a rule about the content of an entity. */
const ofEntity = (id: string, check: (entity: Entity) => Refusal | undefined): Rule => ({
  id,
  on: WITH_BODY,
  check: ({ body }) => {
    const entity = parseEntity(body);
    return entity && check(entity);
  },
});

/** Returns the keys from URL and body. The service itself refuses a key that is not a string. */
function keysOf({ keys, body }: Request): string[] {
  const entity = body.length > 0 ? parseEntity(body) : undefined;
  const all = [keys?.partitionKey, keys?.rowKey, entity?.partitionKey, entity?.rowKey];
  return all.filter((key) => typeof key === 'string');
}

/** In the assumed order of the service's checks. */
export const ENTITY_RULES: readonly Rule[] = [
  {
    id: 'entity-json',
    on: WITH_BODY,
    check: ({ body }) => (parseEntity(body) ? undefined : invalidInput('The body is not a JSON object.')),
  },
  {
    id: 'key-characters',
    on: WITH_KEYS,
    check: (request) =>
      keysOf(request).some((key) => FORBIDDEN_IN_KEYS.test(key))
        ? outOfRangeInput('A key has a character that is not permitted.')
        : undefined,
  },
  {
    id: 'key-length',
    on: WITH_KEYS,
    check: (request) =>
      keysOf(request).some((key) => key.length > MAX_KEY_UNITS)
        ? refused('KeyValueTooLarge', 'The specified key value is larger than the maximum size permitted (1KB).')
        : undefined,
  },
  {
    id: 'delete-if-match',
    on: ['delete-entity'],
    check: ({ header }) =>
      header('if-match') === undefined
        ? refused('MissingRequiredHeader', 'A required HTTP header was not specified: If-Match.')
        : undefined,
  },
  {
    id: 'etag-form',
    on: WITH_ETAG,
    check: ({ header }) => {
      const etag = header('if-match') ?? '*';
      return etag === '*' || /^W\/".*"$/.test(etag)
        ? undefined
        : invalidInput(`The etag value '${etag}' is not valid.`);
    },
  },
  ofEntity('property-count', ({ properties }) =>
    properties.length > MAX_PROPERTIES
      ? refused('TooManyProperties', 'The entity contains more properties than allowed (252).')
      : undefined,
  ),
  ofEntity('property-name-length', ({ properties }) =>
    properties.some(({ name }) => name.length > MAX_NAME_UNITS)
      ? refused('PropertyNameTooLong', 'The property name exceeds the maximum allowed length (255).')
      : undefined,
  ),
  ofEntity('property-name', ({ properties }) => {
    const wrong = properties.find(({ name }) => !PROPERTY_NAME.test(name));
    return wrong && refused('PropertyNameInvalid', `The property name '${wrong.name}' is invalid.`);
  }),
  ofEntity('property-value', ({ properties }) => {
    const wrong = properties.find((property) => !isOfItsType(property));
    return wrong && invalidInput(`Error converting the value of '${wrong.name}' to ${wrong.type}.`);
  }),
  ofEntity('untyped-int32', ({ properties }) => {
    const wrong = properties.find((property) => !isTypedByJson(property));
    return (
      wrong && invalidInput(`The value of '${wrong.name}' has no type annotation and is neither an Int32 nor a Double.`)
    );
  }),
  ofEntity('date-range', ({ properties }) => {
    const wrong = properties.find((property) => !isStorableDate(property));
    return wrong && outOfRangeInput(`The '${wrong.name}' parameter of value is out of range.`);
  }),
  ofEntity('property-size', ({ properties }) =>
    properties.some(isTooLong)
      ? refused('PropertyValueTooLarge', 'The property value exceeds the maximum allowed size (64KB).')
      : undefined,
  ),
  ofEntity('entity-size', (entity) =>
    entityBytes(entity) > MAX_ENTITY_BYTES
      ? refused('EntityTooLarge', 'The entity is larger than the maximum allowed size (1MB).')
      : undefined,
  ),
];

function isTooLong({ type, value }: Entity['properties'][number]): boolean {
  if (typeof value !== 'string') return false;
  return type === 'Edm.Binary'
    ? Buffer.byteLength(value, 'base64') > MAX_BINARY_BYTES
    : value.length > MAX_STRING_UNITS;
}
