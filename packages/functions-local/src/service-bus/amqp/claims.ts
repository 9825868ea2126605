import { unauthorized } from '../errors.ts';
import { toPath } from './addresses.ts';

/** What the client of one connection has shown valid tokens for. */
export class Claims {
  readonly #paths = new Set<string>();

  /** Keeps a claim on a resource, a URL; one on the namespace itself covers everything. */
  add(resource: string): void {
    this.#paths.add(toPath(resource).toLowerCase());
  }

  /** Throws unauthorized unless the path or something above it was claimed. */
  require(path: string): void {
    const parts = path.toLowerCase().split('/');
    const covered = parts.some((_, index) => this.#paths.has(parts.slice(0, index + 1).join('/')));
    if (!covered && !this.#paths.has('')) throw unauthorized(`Unauthorized access to '${path}': no claim was sent.`);
  }
}
