import { CliError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';

/**
 * Loads a package that only some uploads need. They are optional dependencies, which an installation may leave out.
 * Throws CliError that says what to install.
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
