import { describe, expect, test } from 'vitest';
import { compileSqlFilter } from '../../../../src/service-bus/filters/sql-filter.ts';
import type { FilterSubject, FilterValue } from '../../../../src/service-bus/filters/subject.ts';

function subject(
  application: Record<string, FilterValue>,
  system: Partial<FilterSubject['system']> = {},
): FilterSubject {
  const nothing = {
    contenttype: null,
    correlationid: null,
    label: null,
    messageid: null,
    replyto: null,
    replytosessionid: null,
    sessionid: null,
    to: null,
  };
  const lower = Object.entries(application).map(([name, value]): [string, FilterValue] => [name.toLowerCase(), value]);
  return { system: { ...nothing, ...system }, application: new Map(lower) };
}

const message = subject(
  {
    colour: 'red',
    size: 3,
    half: 0.5,
    flag: true,
    Pool: 'default',
    'my prop': 'x',
    name: "it's 50%",
    lines: 'a\nb',
    at: new Date(1000),
    order: 'first',
  },
  { label: 'QueueWorkDetected', messageid: 'm-1' },
);

describe('matches', () => {
  test.for([
    '1=1',
    'TRUE',
    "colour = 'red'",
    "user.colour = 'red'",
    "COLOUR = 'red'",
    "pool = 'default' AND size >= 3",
    "sys.Label = 'QueueWorkDetected'",
    "SYS.subject LIKE 'Queue%'",
    "sys.MessageId <> 'm-2'",
    "[my prop] = 'x'",
    '"my prop" = \'x\'',
    "[order] = 'first'",
    "name = 'it''s 50%'",
    "name LIKE '%50!%' ESCAPE '!'",
    "lines LIKE 'a_b'",
    "colour NOT LIKE 'b%'",
    "colour IN ('blue', 'red')",
    "colour NOT IN ('blue', 'green')",
    'size IN (1, 2, 1+2)',
    'missing IS NULL',
    'size IS NOT NULL',
    'EXISTS(size)',
    'NOT EXISTS(missing)',
    'EXISTS(sys.Label)',
    'size > 2 AND size < 4 AND size != 2 AND size <= 3',
    'half = .5 AND half = 5e-1',
    'size + 1 = 4 AND size * 2 - 1 = 5 AND size % 2 = 1 AND size / 2 = 1.5',
    '-size = -3',
    "colour + '!' = 'red!'",
    'flag = true',
    'flag',
    "missing = 1 OR colour = 'red'",
    "NOT (missing = 1 AND colour = 'blue')",
    "colour = 'blue' AND size = 3 OR size = 3",
    "NOT colour = 'blue' AND NOT size = 1",
    'at = at AND at <= at',
  ])('%s', (expression) => {
    expect(compileSqlFilter(expression)(message)).toBe(true);
  });
});

describe('does not match', () => {
  test.for([
    '1=0',
    'FALSE',
    'NULL',
    'missing = 1',
    'NOT missing = 1',
    "missing <> 'x'",
    "missing NOT IN ('x')",
    "missing NOT LIKE 'x'",
    "colour NOT IN ('blue', missing)",
    "colour = 'Red'",
    "size = '3'",
    "size <> '3'",
    'size',
    "colour LIKE 're'",
    "colour LIKE 'r.d'",
    'flag > false',
    'size / 0 = 1',
    "colour = 'red' AND (size = 1 OR size = 2)",
    'EXISTS(missing)',
    'missing = missing',
  ])('%s', (expression) => {
    expect(compileSqlFilter(expression)(message)).toBe(false);
  });
});

describe('refuses', () => {
  test.for([
    ['', /expected a property or a value, got 'end of expression'/],
    ['size >', /expected a property or a value, got 'end of expression' at offset 6/],
    ["colour = 'red", /unexpected ''red' at offset 9/],
    ['size = 3 3', /expected an operator or the end, got '3' at offset 9/],
    ['(size = 3', /expected '\)'/],
    ['size NOT 3', /expected IN or LIKE/],
    ['size LIKE 3', /expected a string, got '3'/],
    ['size = 3 AND AND', /got 'AND' at offset 13/],
    ['@p = 1', /unexpected '@p = 1' at offset 0/],
    ['sys.DeliveryCount > 1', /sys\.DeliveryCount is not supported/],
    ['other.size = 1', /expected scope sys or user, got 'other'/],
    ["property('size') = 1", /the function property\(\) is not supported/],
    [`size = ${'1'.repeat(1024)}`, /expected at most 1024 characters, got 1031/],
  ] as const)('%s', ([expression, message]) => {
    expect(() => compileSqlFilter(expression)).toThrow(message);
  });
});
