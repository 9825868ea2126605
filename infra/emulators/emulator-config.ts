/** The only namespace that Microsoft's emulator supports. */
const NAMESPACE = 'sbemulatorns';
/**
 * Limits of the emulator. Source: ServiceBus-Emulator/Schema/Config-schema.json in Azure/azure-service-bus-emulator-installer.
 */
const LONGEST = { DefaultMessageTimeToLive: 'PT1H', DuplicateDetectionHistoryTimeWindow: 'PT5M' } as const;
const MINUTES: Readonly<Record<string, number>> = { D: 1440, H: 60, M: 1, S: 1 / 60 };

/** Converts the entities of the local broker for the official emulator, with its namespace and its lower limits. */
export function emulatorConfig(entities: unknown): unknown {
  return mapNode(entities, undefined);
}

function mapNode(node: unknown, key: string | undefined): unknown {
  if (Array.isArray(node)) {
    const items: unknown[] = node;
    return items.map((item) =>
      key === 'Namespaces' ? { ...asObject(mapNode(item, key)), Name: NAMESPACE } : mapNode(item, key),
    );
  }
  if (typeof node === 'object' && node !== null) {
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, mapNode(value, name)]));
  }
  return typeof node === 'string' && isLimited(key) ? shorter(node, LONGEST[key]) : node;
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
const isLimited = (key: string | undefined): key is keyof typeof LONGEST => key !== undefined && key in LONGEST;
const shorter = (a: string, b: string): string => (minutes(a) <= minutes(b) ? a : b);

function minutes(duration: string): number {
  const parts = [...duration.matchAll(/(\d+)([DHMS])/g)];
  if (parts.length === 0) throw new Error(`Expected a duration such as PT1H, got "${duration}".`);
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (MINUTES[unit] ?? Number.NaN), 0);
}
