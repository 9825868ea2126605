import { glob, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { workloadOf } from '../names/workload.ts';
import { UsageError } from '../process/errors.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { isAddress } from './address.ts';
import { csvOptionsOf } from './csv-flags.ts';
import { openSource, type Source } from './input.ts';
import { sendOne } from './one.ts';
import { refuseValidate, requireInbox, type SendOptions } from './send/send-batch.ts';
import { sendSeveral } from './several.ts';

export type SubmitOptions = Omit<SendOptions, 'workload'> & { workload?: string };

/** Runs the command: sends the files of the arguments. */
export async function submitFiles(
  session: Session,
  args: readonly string[],
  options: SubmitOptions,
): Promise<ExitCode> {
  const files = await findFiles(args, session.io.folder);
  checkOptions(session, files, options);
  const sources: Source[] = [];
  for (const file of files) sources.push(await openSource(session, file, options));
  checkTables(sources, options);
  const send: SendOptions = { ...options, workload: await workloadOf(session, options.workload) };
  const [only, ...others] = sources;
  // A pattern counts as several files, even if it matches only one.
  if (only !== undefined && others.length === 0 && args.length === 1 && args[0] === files[0])
    return sendOne(session, only, send);
  return sendSeveral(session, sources, send);
}

function checkOptions(session: Session, files: readonly string[], options: SubmitOptions): void {
  if (options.idempotencyKey !== undefined && files.length > 1)
    throw new UsageError(
      `--idempotency-key: expected one file, got ${files.length}; with several files, the keys are computed from the content`,
    );
  if (options.via !== 'inbox') return;
  refuseValidate(options);
  requireInbox(session, options);
}

/** Throws UsageError for options that apply to none of the files. */
function checkTables(sources: readonly Source[], options: SubmitOptions): void {
  const tables = sources.filter(({ kind }) => kind.format === 'csv');
  if (csvOptionsOf(options) !== undefined && tables.length === 0)
    throw new UsageError('--delimiter, --decimal, --rename, --charset: expected a CSV or Excel file');
  if (options.sheet !== undefined && !sources.some(({ isWorkbook }) => isWorkbook))
    throw new UsageError('--sheet: expected an Excel file');
}

/**
 * Returns the files of the arguments, each once. A pattern that the shell has not expanded, and that is not the name of a file,
 * is expanded to its files, sorted by name. Throws UsageError for a pattern that matches no file.
 */
export async function findFiles(args: readonly string[], folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const arg of args) {
    if (!isAddress(arg) && /[*?[{]/.test(arg) && !(await exists(resolve(folder, arg))))
      found.push(...(await matching(arg, folder)));
    else found.push(arg);
  }
  const files = [...new Map(found.map((file) => [file === '-' ? file : resolve(folder, file), file])).values()];
  if (files.length > 1 && files.includes('-'))
    throw new UsageError('FILE: - is standard input, and cannot be combined with other files');
  return files;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function matching(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true }))
    if (!entry.isDirectory()) files.push(join(entry.parentPath, entry.name));
  if (files.length === 0) throw new UsageError(`FILE: no file matches ${pattern}`);
  const prefix = `${resolve(folder)}/`;
  return files.sort().map((file) => (file.startsWith(prefix) ? file.slice(prefix.length) : file));
}
