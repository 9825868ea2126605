/** The Bicep functions that templates use. Source: Microsoft Learn, azure-resource-manager/bicep/bicep-functions. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asText, isObject, Lambda, type ObjectValue, plain, Reference, ResourceValue, type Value } from './values.ts';

/** The context of a function call. */
export interface Place {
  /** Folder of the file, for functions that read other files. */
  folder: string;
  /** Resource group of the module; undefined in a template for a subscription. */
  group: { name: string; location: Value } | undefined;
  deployment: string;
  /** For `readEnvironmentVariable`. */
  environment: Readonly<Record<string, string>>;
}
type Builtin = (args: Value[], place: Place) => Value;

const ZERO = '00000000-0000-0000-0000-000000000000';
export const SUBSCRIPTION_ID = `/subscriptions/${ZERO}`;
/** A fixed time, so that all expansions are equal. */
const NOW = new Date('2026-01-15T12:00:00Z');

/** Returns a function of the language; undefined if the name is unknown or not supported. */
export const builtin = (name: string): Builtin | undefined =>
  Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;

const list = (value: Value | undefined): Value[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`expected an array, got ${describe(value)}`);
};
const text = (value: Value | undefined): string => {
  if (typeof value === 'string') return value;
  if (value instanceof Reference) return asText(value);
  throw new Error(`expected a text, got ${describe(value)}`);
};
const integer = (value: Value | undefined): number => {
  if (typeof value === 'number') return value;
  throw new Error(`expected a number, got ${describe(value)}`);
};
const object = (value: Value | undefined): ObjectValue => {
  if (isObject(value)) return value;
  throw new Error(`expected an object, got ${describe(value)}`);
};
const lambda = (value: Value | undefined): Lambda => {
  if (value instanceof Lambda) return value;
  throw new Error(`expected a lambda, got ${describe(value)}`);
};
const truth = (value: Value): boolean => {
  if (typeof value === 'boolean') return value;
  throw new Error(`expected true or false, got ${describe(value)}`);
};

/** Describes the type of a value for a message. */
export function describe(value: Value | undefined): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Reference) return `what is known only when deployed (${value.text})`;
  if (value instanceof ResourceValue) return 'a resource';
  if (value instanceof Lambda) return 'a function';
  return JSON.stringify(isObject(value) || Array.isArray(value) ? plain(value) : value);
}

/** Whether two values are equal by content. */
export const same = (one: Value, other: Value): boolean => sorted(plain(one)) === sorted(plain(other));

const sorted = (value: Value): string =>
  JSON.stringify(value, (_, entry: Value) =>
    isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(byKey)) : entry,
  );
const byKey = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : one > other ? 1 : 0;

const hash = (args: readonly Value[]): Buffer =>
  createHash('sha256')
    .update(args.map((value) => asText(value)).join('\n'))
    .digest();

function guid(args: readonly Value[]): string {
  const hex = hash(args).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns 13 letters and digits that depend only on the arguments. The result differs from that of Azure. */
const uniqueString = (args: readonly Value[]): string =>
  [...hash(args).subarray(0, 13)].map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('');

function merge(one: ObjectValue, other: ObjectValue): ObjectValue {
  const merged = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}

const distinct = (values: Value[]): Value[] =>
  values.filter((value, index) => values.findIndex((other) => same(other, value)) === index);

function union(args: Value[]): Value {
  if (args.every(Array.isArray)) return distinct(args.flat());
  return args.map(object).reduce(merge);
}

function empty(value: Value | undefined): boolean {
  if (value === null || value === '') return true;
  // Values that only Azure knows, such as ids and addresses, are never empty.
  if (value instanceof Reference || typeof value === 'string') return false;
  return (Array.isArray(value) ? value : Object.keys(object(value))).length === 0;
}

function contains([inside, wanted]: Value[]): boolean {
  if (typeof inside === 'string') return inside.includes(text(wanted));
  if (Array.isArray(inside)) return inside.some((value) => same(value, wanted ?? null));
  return Object.keys(object(inside)).some((key) => key.toLowerCase() === text(wanted).toLowerCase());
}

const size = (value: Value | undefined): number =>
  typeof value === 'string' ? value.length : (Array.isArray(value) ? value : Object.keys(object(value))).length;
const part = (value: Value | undefined, from: number, to?: number): Value =>
  Array.isArray(value) ? value.slice(from, to) : text(value).slice(from, to);
const numbers = (args: Value[]): number[] =>
  (args.length === 1 && Array.isArray(args[0]) ? args[0] : args).map(integer);

const read = (place: Place, name: Value | undefined): string => readFileSync(join(place.folder, text(name)), 'utf8');

/** Supports only the second argument that templates use: indexes such as `$[0]`. */
function loadJson([name, path]: Value[], place: Place): Value {
  if (path !== undefined) throw new Error('loadJsonContent with a path is not known to this expander');
  return JSON.parse(read(place, name)) as Value;
}

/** Formats a date with a .NET format: supports the tokens from years to seconds. */
function formatDate(date: Date, format: Value | undefined): string {
  const iso = date.toISOString();
  if (format === undefined) return iso.replaceAll(/[-:]|\.\d+/g, '');
  const [year, month, day, hour, minute, second] = iso.split(/[-T:.Z]/);
  const tokens: Record<string, string | undefined> = {
    yyyy: year,
    MM: month,
    dd: day,
    HH: hour,
    mm: minute,
    ss: second,
  };
  const pattern = { d: 'MM/dd/yyyy', u: 'yyyy-MM-dd HH:mm:ssZ' }[text(format)] ?? text(format);
  return pattern.replaceAll(/yyyy|MM|dd|HH|mm|ss/g, (name) => tokens[name] ?? name);
}

function addDuration([base, duration, format]: Value[]): string {
  const sign = text(duration).startsWith('-') ? -1 : 1;
  const found = /^-?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text(duration));
  if (found === null) throw new Error(`expected a duration, got ${describe(duration)}`);
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((one) => sign * Number(one ?? 0));
  const start = text(base).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const date = new Date(start);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
  date.setUTCHours(date.getUTCHours() + hours, date.getUTCMinutes() + minutes, date.getUTCSeconds() + seconds);
  return formatDate(date, format ?? 'yyyy-MM-ddTHH:mm:ssZ');
}

/** Returns the subnet with a prefix length and index in an IPv4 network. */
function cidrSubnet([network, length, index]: Value[]): string {
  const [address = '', bits] = text(network).split('/');
  const start = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  const count = 2 ** (integer(length) - Number(bits));
  if (!(count > integer(index))) throw new Error(`${text(network)} has no subnet ${index} of length ${length}`);
  const subnet = start + integer(index) * 2 ** (32 - integer(length));
  return `${[24, 16, 8, 0].map((shift) => Math.floor(subnet / 2 ** shift) % 256).join('.')}/${length}`;
}

const resourceId =
  (kind: string): Builtin =>
  (args) =>
    new Reference(`${kind}(${args.map(asText).join(' ')})`);
const groupOf = ({ group }: Place): ObjectValue => {
  if (group === undefined) throw new Error('resourceGroup() needs a module that is deployed to a resource group');
  return scopeOfGroup(group.name, group.location);
};

const scopeOfGroup = (name: string, location: Value): ObjectValue => ({
  id: `${SUBSCRIPTION_ID}/resourceGroups/${name}`,
  name,
  type: 'Microsoft.Resources/resourceGroups',
  location,
});

function comparison(order: Lambda): (one: Value, other: Value) => number {
  return (one, other) => (truth(order.call([one, other])) ? -1 : truth(order.call([other, one])) ? 1 : 0);
}

const BUILTINS: Record<string, Builtin> = {
  any: ([value]) => value ?? null,
  array: ([value]) => (Array.isArray(value) ? value : [value ?? null]),
  base64: ([value]) => Buffer.from(text(value)).toString('base64'),
  base64ToString: ([value]) => Buffer.from(text(value), 'base64').toString(),
  bool: ([value]) => {
    if (/^(true|false|0|1)$/i.test(asText(value ?? null))) return /^(true|1)$/i.test(asText(value ?? null));
    throw new Error(`expected true or false, got ${describe(value)}`);
  },
  cidrSubnet,
  coalesce: (args) => args.find((value) => value !== null) ?? null,
  concat: (args) => (args.every(Array.isArray) ? args.flat() : args.map(asText).join('')),
  contains,
  dateTimeAdd: addDuration,
  deployer: () => ({ objectId: ZERO, tenantId: ZERO, userPrincipalName: '' }),
  deployment: (_, { deployment }) => ({ name: deployment }),
  empty: ([value]) => empty(value),
  endsWith: ([value, end]) => text(value).toLowerCase().endsWith(text(end).toLowerCase()),
  environment: () => ({
    name: 'AzureCloud',
    resourceManager: 'https://management.azure.com/',
    authentication: { loginEndpoint: 'https://login.microsoftonline.com/' },
    suffixes: {
      storage: 'core.windows.net',
      keyvaultDns: '.vault.azure.net',
      sqlServerHostname: '.database.windows.net',
    },
  }),
  extensionResourceId: resourceId('extensionResourceId'),
  fail: ([message]) => {
    throw new Error(text(message));
  },
  filter: ([values, keep]) => list(values).filter((value, index) => truth(lambda(keep).call([value, index]))),
  first: ([values]) => (typeof values === 'string' ? (values[0] ?? '') : (list(values)[0] ?? null)),
  flatten: ([values]) => list(values).flatMap(list),
  format: ([pattern, ...args]) =>
    text(pattern).replaceAll(/\{(\d+)\}/g, (_, index) => asText(args[Number(index)] ?? null)),
  groupBy: ([values, key]) =>
    ({ ...Object.groupBy(list(values), (value) => text(lambda(key).call([value]))) }) as ObjectValue,
  guid,
  indexOf: ([inside, wanted]) =>
    typeof inside === 'string'
      ? inside.toLowerCase().indexOf(text(wanted).toLowerCase())
      : list(inside).findIndex((value) => same(value, wanted ?? null)),
  int: ([value]) => {
    if (/^-?\d+$/.test(asText(value ?? null))) return Number(asText(value ?? null));
    throw new Error(`expected a whole number, got ${describe(value)}`);
  },
  intersection: (args) =>
    args.map(list).reduce((one, other) => one.filter((value) => other.some((wanted) => same(value, wanted)))),
  items: ([value]) =>
    Object.entries(object(value))
      .sort(byKey)
      .map(([key, entry]) => ({ key, value: entry })),
  join: ([values, separator]) => list(values).map(asText).join(text(separator)),
  json: ([value]) => JSON.parse(text(value)) as Value,
  last: ([values]) => (typeof values === 'string' ? values.slice(-1) : (list(values).at(-1) ?? null)),
  lastIndexOf: ([inside, wanted]) =>
    typeof inside === 'string'
      ? inside.toLowerCase().lastIndexOf(text(wanted).toLowerCase())
      : list(inside).findLastIndex((value) => same(value, wanted ?? null)),
  length: ([value]) => size(value),
  loadJsonContent: loadJson,
  loadTextContent: ([name], place) => read(place, name),
  map: ([values, make]) => list(values).map((value, index) => lambda(make).call([value, index])),
  mapValues: ([value, make]) =>
    Object.fromEntries(Object.entries(object(value)).map(([key, entry]) => [key, lambda(make).call([entry])])),
  max: (args) => Math.max(...numbers(args)),
  min: (args) => Math.min(...numbers(args)),
  newGuid: () => guid(['new']),
  objectKeys: ([value]) => Object.keys(object(value)).sort(),
  padLeft: ([value, length, fill]) =>
    asText(value ?? null).padStart(integer(length), fill === undefined ? ' ' : text(fill)),
  range: ([start, count]) => Array.from({ length: integer(count) }, (_, index) => integer(start) + index),
  readEnvironmentVariable: ([name, otherwise], { environment }) => {
    const value = environment[text(name)] ?? otherwise;
    if (value === undefined) throw new Error(`the environment has no ${text(name)}, and there is no default`);
    return value;
  },
  reduce: ([values, start, step]) =>
    list(values).reduce((sum: Value, value, index) => lambda(step).call([sum, value, index]), start ?? null),
  replace: ([value, from, to]) => text(value).replaceAll(text(from), () => text(to)),
  resourceGroup: ([name], place) => (name === undefined ? groupOf(place) : scopeOfGroup(text(name), null)),
  resourceId: resourceId('resourceId'),
  shallowMerge: ([values]) => Object.assign({}, ...list(values).map(object)) as ObjectValue,
  skip: ([values, count]) => part(values, integer(count)),
  sort: ([values, order]) => [...list(values)].sort(comparison(lambda(order))),
  split: ([value, separators]) =>
    (Array.isArray(separators) ? separators : [separators ?? null])
      .map(text)
      .reduce((parts, separator) => parts.flatMap((one) => one.split(separator)), [text(value)]),
  startsWith: ([value, start]) => text(value).toLowerCase().startsWith(text(start).toLowerCase()),
  string: ([value]) => (typeof value === 'string' ? value : asText(value ?? null)),
  subscription: () => ({ id: SUBSCRIPTION_ID, subscriptionId: ZERO, tenantId: ZERO, displayName: 'subscription' }),
  subscriptionResourceId: resourceId('subscriptionResourceId'),
  substring: ([value, start, length]) =>
    text(value).slice(integer(start), length === undefined ? undefined : integer(start) + integer(length)),
  take: ([values, count]) => part(values, 0, integer(count)),
  tenant: () => ({ tenantId: ZERO, displayName: 'tenant' }),
  tenantResourceId: resourceId('tenantResourceId'),
  toLower: ([value]) => text(value).toLowerCase(),
  toObject: ([values, key, make]) =>
    Object.fromEntries(
      list(values).map((value) => [
        text(lambda(key).call([value])),
        make === undefined ? value : lambda(make).call([value]),
      ]),
    ),
  toUpper: ([value]) => text(value).toUpperCase(),
  trim: ([value]) => text(value).trim(),
  union,
  uniqueString,
  uri: ([base, path]) => new URL(text(path), text(base)).href,
  utcNow: ([format]) => formatDate(NOW, format),
};
