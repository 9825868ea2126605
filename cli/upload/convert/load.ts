import { CliError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';

/**
 * Loads an optional dependency, which only some uploads need and an installation may omit. Throws CliError with the command
 * that installs it.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `Files of this kind need the package ${name}, which is not installed: npm install ${name}`;
    throw new CliError(message, { exitCode: EXIT.usage, cause: error });
  }
}
