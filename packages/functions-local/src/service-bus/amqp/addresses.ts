/** The suffix of an entity's management node. */
export const MANAGEMENT_SUFFIX = '/$management';

/** The node that accepts authorization tokens. */
export const CBS_ADDRESS = '$cbs';

/** Returns the path inside the namespace. Some clients send a whole URL, some a leading slash. */
export function toPath(address: string | undefined | null): string {
  return (address ?? '').replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/^\/+|\/+$/g, '');
}

/** Returns the entity of a management address, or undefined if it is not a management address. */
export function managedEntity(path: string): string | undefined {
  return path.toLowerCase().endsWith(MANAGEMENT_SUFFIX) ? path.slice(0, -MANAGEMENT_SUFFIX.length) : undefined;
}
