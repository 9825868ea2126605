import rhea, { type Typed } from 'rhea';
import { invalidArgument, unsupported } from '../errors.ts';
import type { CorrelationFilter } from '../filters/correlation-filter.ts';
import type { Rule, RuleFilter } from '../filters/rule.ts';
import type { SystemProperty } from '../filters/subject.ts';

/** The fields of the body of a request or reply. */
export type Body = Readonly<Record<string, unknown>>;

const codes = { uuid: 0x98, timestamp: 0x83, long: 0x81 } as const;

/** Descriptors of the elements of a list of rules. Clients silently skip a rule with a wrong descriptor. */
const descriptors = {
  rule: 0x13700000004,
  noAction: 0x13700000005,
  sqlFilter: 0x1370000006,
  correlationFilter: 0x1370000009,
} as const;

/** Creates an array whose elements have one AMQP type. */
export function wrapArray(type: keyof typeof codes, values: readonly unknown[]): Typed {
  return rhea.types.wrap_array(values, codes[type], undefined);
}

/** Reads a number. rhea decodes longs beyond 2^53 as bytes. */
export function readNumber(value: unknown, field: string): number {
  const number = Buffer.isBuffer(value) && value.length === 8 ? Number(value.readBigInt64BE()) : value;
  if (typeof number !== 'number') throw invalidArgument(`${field}: expected a number`);
  return number;
}

/** Reads a list or array. */
export function readList(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw invalidArgument(`${field}: expected a list`);
  return value;
}

/** Reads a map. */
export function readMap(value: unknown, field: string): Body {
  if (typeof value !== 'object' || value === null) throw invalidArgument(`${field}: expected a map`);
  return value as Body;
}

/** Reads bytes. */
export function readBytes(value: unknown, field: string): Buffer {
  if (!Buffer.isBuffer(value)) throw invalidArgument(`${field}: expected binary`);
  return value;
}

/** The fields of a correlation filter, in the order of a rule description, with their names in a request. */
const correlationFields: readonly (readonly [request: string, property: SystemProperty])[] = [
  ['correlation-id', 'correlationid'],
  ['message-id', 'messageid'],
  ['to', 'to'],
  ['reply-to', 'replyto'],
  ['label', 'label'],
  ['session-id', 'sessionid'],
  ['reply-to-session-id', 'replytosessionid'],
  ['content-type', 'contenttype'],
];

function describe(code: number, fields: unknown[]): Typed {
  return rhea.types.wrap_described(fields, code);
}

function describeFilter(filter: RuleFilter): Typed {
  if (filter.kind === 'sql') return describe(descriptors.sqlFilter, [filter.expression, rhea.types.wrap_int(20)]);
  const { system, properties } = filter.correlation;
  const fields = correlationFields.map(([, property]) => system[property]);
  return describe(descriptors.correlationFilter, [...fields, properties]);
}

/** Describes a rule for a reply. */
export function describeRule({ name, filter }: Rule): Body {
  const fields = [describeFilter(filter), describe(descriptors.noAction, []), name, new Date(0)];
  return { 'rule-description': describe(descriptors.rule, fields) };
}

function readCorrelation(map: Body): CorrelationFilter {
  const system: Partial<Record<SystemProperty, string>> = {};
  for (const [field, property] of correlationFields) {
    const value = map[field];
    if (value !== undefined && value !== null) system[property] = String(value);
  }
  const properties: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(map.properties ?? {})) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw unsupported(`A correlation filter on '${name}' that is neither string, number nor boolean is`);
    }
    properties[name] = value;
  }
  return { system, properties };
}

/** Reads the rule of an add-rule request. Throws argument-error, or an error that specifies the unsupported feature. */
export function readRule(body: Body): Rule {
  const name = String(body['rule-name']);
  const description = readMap(body['rule-description'], 'rule-description');
  if (description['sql-rule-action']) throw unsupported('A rule action is');
  const sql = description['sql-filter'];
  if (sql) return { name, filter: { kind: 'sql', expression: String(readMap(sql, 'sql-filter').expression) } };
  const correlation = readMap(description['correlation-filter'], 'correlation-filter');
  return { name, filter: { kind: 'correlation', correlation: readCorrelation(correlation) } };
}
