interface NameRule {
  longest: number;
  pattern: RegExp;
  text: string;
}

// Resource naming rules of Azure for Microsoft.ServiceBus.
const PATH: NameRule = {
  longest: 260,
  pattern: /^[a-z0-9](?:[a-z0-9._/-]*[a-z0-9])?$/i,
  text: '1 to 260 letters, digits, periods, hyphens, underscores and slashes, a letter or digit first and last',
};
const SEGMENT: NameRule = {
  longest: 50,
  pattern: /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i,
  text: '1 to 50 letters, digits, periods, hyphens and underscores, a letter or digit first and last',
};

const RULES = { queue: PATH, topic: PATH, subscription: SEGMENT, rule: SEGMENT } as const;

/** Returns the name of an entity. Throws, with the place in the configuration, when Azure would not create it. */
export function checkEntityName(name: string, kind: keyof typeof RULES, where: string): string {
  const { longest, pattern, text } = RULES[kind];
  // The name of the rule that Azure itself makes.
  const isDefaultRule = kind === 'rule' && name === '$Default';
  if (isDefaultRule || (name.length <= longest && pattern.test(name))) return name;
  throw new Error(`${where}.Name: expected ${text}, got ${JSON.stringify(name)}`);
}
