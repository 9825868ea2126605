interface NameRule {
  longest: number;
  pattern: RegExp;
  text: string;
}

// Source: Microsoft Learn, resource-name-rules, Microsoft.ServiceBus.
const PATH: NameRule = {
  longest: 260,
  pattern: /^[a-z0-9](?:[a-z0-9._/-]*[a-z0-9])?$/i,
  text: '1 to 260 letters, digits, periods, hyphens, underscores and slashes that start and end with a letter or digit',
};
const SEGMENT: NameRule = {
  longest: 50,
  pattern: /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i,
  text: '1 to 50 letters, digits, periods, hyphens and underscores that start and end with a letter or digit',
};

const RULES = { queue: PATH, topic: PATH, subscription: SEGMENT, rule: SEGMENT } as const;

/** Returns the name of an entity. Throws an error with its location in the configuration if Azure would refuse the name. */
export function checkEntityName(name: string, kind: keyof typeof RULES, where: string): string {
  const { longest, pattern, text } = RULES[kind];
  // The name of the rule that Azure creates.
  const isDefaultRule = kind === 'rule' && name === '$Default';
  if (isDefaultRule || (name.length <= longest && pattern.test(name))) return name;
  throw new Error(`${where}.Name: expected ${text}, got ${JSON.stringify(name)}`);
}
