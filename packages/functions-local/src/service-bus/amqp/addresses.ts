/** The suffix of an entity's management node. */
export const MANAGEMENT_SUFFIX = '/$management';

/** The node that takes authorization tokens. */
export const CBS_ADDRESS = '$cbs';

/** The path inside the namespace: some clients send a whole URL, some a leading slash. */
export function toPath(address: string | undefined | null): string {
  return (address ?? '').replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/^\/+|\/+$/g, '');
}

/** The entity a management address belongs to, or undefined when it is none. */
export function managedEntity(path: string): string | undefined {
  return path.toLowerCase().endsWith(MANAGEMENT_SUFFIX) ? path.slice(0, -MANAGEMENT_SUFFIX.length) : undefined;
}
