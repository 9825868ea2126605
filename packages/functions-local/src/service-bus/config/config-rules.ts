import type { CorrelationFilter } from '../filters/correlation-filter.ts';
import { compileRule, type Rule, type RuleFilter } from '../filters/rule.ts';
import { type SystemProperty, toSystemProperty } from '../filters/subject.ts';
import { checkEntityName } from './entity-name.ts';
import { Fields } from './fields.ts';

const correlationFields = [
  'ContentType',
  'CorrelationId',
  'Label',
  'MessageId',
  'ReplyTo',
  'ReplyToSessionId',
  'SessionId',
  'To',
] as const;

function readProperties(value: unknown, where: string): CorrelationFilter['properties'] {
  const properties: Record<string, string | number | boolean> = {};
  const fields = new Fields(value, where);
  for (const name of Object.keys(value ?? {})) {
    const property = fields.take(name);
    if (typeof property !== 'string' && typeof property !== 'number' && typeof property !== 'boolean') {
      throw new Error(`${where}.${name}: expected a string, number or boolean, got ${JSON.stringify(property)}`);
    }
    properties[name] = property;
  }
  return properties;
}

function readCorrelation(fields: Fields): CorrelationFilter {
  const system: Partial<Record<SystemProperty, string>> = {};
  for (const name of correlationFields) {
    const value = fields.optionalText(name);
    const property = toSystemProperty(name);
    if (value !== undefined && property) system[property] = value;
  }
  const properties = readProperties(fields.take('Properties'), `${fields.where}.Properties`);
  fields.end();
  return { system, properties };
}

function readFilter(fields: Fields): RuleFilter {
  const type = fields.text('FilterType');
  if (type === 'Correlation') {
    const correlation = new Fields(fields.take('CorrelationFilter'), `${fields.where}.CorrelationFilter`);
    return { kind: 'correlation', correlation: readCorrelation(correlation) };
  }
  if (type !== 'Sql') throw new Error(`${fields.where}.FilterType: expected 'Sql' or 'Correlation', got '${type}'`);
  const sql = new Fields(fields.take('SqlFilter'), `${fields.where}.SqlFilter`);
  const expression = sql.text('SqlExpression');
  sql.end();
  return { kind: 'sql', expression };
}

/** Reads one element of `Rules`. Throws an error with the location of the mistake, also if the filter does not compile. */
export function readRule(value: unknown, where: string): Rule {
  const rule = new Fields(value, where);
  const name = checkEntityName(rule.text('Name'), 'rule', where);
  const properties = new Fields(rule.take('Properties'), `${where}.Properties`);
  if (properties.take('Action') !== undefined)
    throw new Error(`${where}.Properties.Action: rule actions are not supported`);
  const filter = readFilter(properties);
  properties.end();
  rule.end();
  try {
    compileRule(filter);
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return { name, filter };
}
