import { unauthorized } from '../errors.ts';
import { toPath } from './addresses.ts';

/** The resources for which the client of one connection has sent valid tokens. */
export class Claims {
  readonly #paths = new Set<string>();

  /** Adds a claim for a resource, a URL. A claim for the namespace covers all entities. */
  add(resource: string): void {
    this.#paths.add(toPath(resource).toLowerCase());
  }

  /** Throws unauthorized unless there is a claim for the path or for one of its parents. */
  require(path: string): void {
    const parts = path.toLowerCase().split('/');
    const covered = parts.some((_, index) => this.#paths.has(parts.slice(0, index + 1).join('/')));
    if (!covered && !this.#paths.has('')) throw unauthorized(`Unauthorized access to '${path}': no claim was sent.`);
  }
}
