import { findAppFolder } from '../../shared/app-folder.ts';
import { readPriceSheet } from '../../shared/cost/sheet.ts';
import { checkUpload, type UploadCheck } from '../../shared/intake/check/check-upload.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';
import { readUpload } from '../../shared/intake/read-upload.ts';
import { readLimits } from '../../shared/kit/cut-into-chunks.ts';
import { shellFile } from '../../shared/shell-word.ts';
import type { Workload } from '../../shared/workload/define.ts';
import { itemSchemaOf } from '../../shared/workload/item-schema.ts';
import type { Registry } from '../../shared/workload/registry.ts';
import { fieldsOf } from '../../shared/workload/types/fields.ts';
import { validateItem } from '../../shared/workload/validate-item.ts';
import { chooseWorkload, workloadOf } from '../names/workload.ts';
import { UsageError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import type { SourceOptions } from '../upload/input.ts';
import { type Described, describeCheck } from './check-text.ts';
import { firstChunks, itemsOf } from './first-items.ts';
import { loadWorkloads } from './load-workloads.ts';
import { checkRemotely } from './remote.ts';
import { runHere } from './run-here.ts';
import { suggest } from './suggest.ts';
import { openFile, type TriedFile } from './tried-file.ts';

export interface TryOptions extends SourceOptions {
  workload?: string;
  items: number;
  run?: boolean;
  yes?: boolean;
  remote?: boolean;
}

/** The number of bytes from which the number of items in the whole file is estimated, within a few percent. */
const ESTIMATE_BYTES = 1024 * 1024;

/**
 * Runs the command. `load` returns the workloads of the app around a folder. Outside of an app, the one at the given address
 * checks the file.
 */
export async function tryFile(
  session: Session,
  file: string,
  options: TryOptions,
  load: (folder: string) => Promise<Registry> = loadWorkloads,
): Promise<ExitCode> {
  if (options.run && options.remote)
    throw new UsageError(
      '--run: cannot be combined with --remote, because it runs the workload of the app in this folder',
    );
  const tried = await openFile(session, file, options);
  const { io, settings } = session;
  const isOutside = findAppFolder(io.folder) === undefined && settings.isUrlGiven && !options.run;
  const registry = options.remote || isOutside ? undefined : await load(io.folder);
  const name = registry ? nameHere(session, registry, options) : await workloadOf(session, options.workload);
  const chosen: Chosen = { ...options, workload: name };
  const workload = registry?.workload(name);
  if (registry !== undefined && workload !== undefined)
    return tryHere(session, tried, { workload, registry, options: chosen });
  const check = await checkRemotely(session, tried, chosen);
  session.answer(check, () => describeCheck(describedOf(tried, chosen, { check })));
  return exitCodeOf(check);
}

type Chosen = TryOptions & { workload: string };

/** Returns the name of the workload. One that the app here does not have is left to the app, if an address was given. */
function nameHere({ settings, inform }: Session, { workloads }: Registry, { workload, run }: TryOptions): string {
  const names = workloads.map(({ name }) => name);
  if (workload === undefined || names.includes(workload) || run || !settings.isUrlGiven)
    return chooseWorkload(
      names,
      workload,
      'These are the workloads of the app in this folder; --remote uses those of the app at --url.',
    );
  inform(`The app in this folder has no workload "${workload}": the app at --url checks the file.`);
  return workload;
}

interface Here {
  workload: Workload;
  registry: Registry;
  options: Chosen;
}

async function tryHere(session: Session, tried: TriedFile, { workload, registry, options }: Here): Promise<ExitCode> {
  const check = await checkFile(session, tried, { workload, maxItems: options.items });
  const chunks = await firstChunks(chunksOf(tried, workload), options.items);
  const items = itemsOf(chunks);
  const schema = itemSchemaOf(workload);
  const described = describedOf(tried, options, {
    check,
    known: fieldsOf(schema).map(({ path }) => path),
    first: await firstValid(workload, items),
    suggestions: suggest({ check, schema, items }),
    other: check.valid === 0 && check.items > 0 ? await fittingWorkload(tried, registry, workload) : undefined,
  });
  const canRun = check.valid > 0 && check.fault === undefined;
  if (!options.run || !canRun) {
    session.answer(check, () => describeCheck(described));
    return exitCodeOf(check);
  }
  if (!session.settings.json) session.print(...describeCheck(described));
  return runHere(session, { check, chunks, workload, yes: options.yes ?? false });
}

const describedOf = (
  { name }: TriedFile,
  options: Chosen,
  found: Partial<Described> & Pick<Described, 'check'>,
): Described => ({
  ...{ name, workload: options.workload, known: [], suggestions: [] },
  ...{ file: shellFile(name), options },
  ...found,
});

async function firstValid({ item: schema }: Workload, items: readonly unknown[]): Promise<Described['first']> {
  for (const item of items) {
    try {
      return { item: await validateItem(schema, item) };
    } catch {
      // The check has already counted the invalid item.
    }
  }
  return undefined;
}

/** Returns the exit code of a check. */
export function exitCodeOf({ fault, valid, invalid }: Pick<UploadCheck, 'fault' | 'valid' | 'invalid'>): ExitCode {
  if (fault !== undefined) return EXIT.failed;
  if (invalid === 0) return EXIT.done;
  return valid === 0 ? EXIT.suspect : EXIT.deadLetters;
}

const checkFile = (
  { io }: Session,
  { open, size, ...reading }: TriedFile,
  bounds: { workload: Workload; maxItems: number },
): Promise<UploadCheck> =>
  checkUpload({
    ...{ ...reading, ...bounds, body: open(), limits: readLimits(), size },
    prices: readPriceSheet(io.env.SLUICE_PRICE_SHEET || '2026'),
    ...(size === undefined ? {} : { estimateBytes: ESTIMATE_BYTES }),
  });

const chunksOf = ({ open, format, encoding, csv }: TriedFile, workload: Workload): AsyncIterable<RawChunk> =>
  readUpload({
    ...{ body: open(), format, encoding, csv, limits: readLimits() },
    ...{ chunk: workload.chunk, schema: itemSchemaOf(workload) },
  }).chunks;

/** Number of items with which another workload is tried. */
const ITEMS_OF_OTHERS = 100;

/** Returns another workload whose schema more than half of the first items match. */
async function fittingWorkload(
  tried: TriedFile,
  { workloads }: Registry,
  { name }: Workload,
): Promise<{ name: string; valid: number; items: number } | undefined> {
  for (const workload of workloads.filter((other) => other.name !== name)) {
    const reading = { ...tried, size: undefined, body: tried.open(), limits: readLimits() };
    const { valid, items } = await checkUpload({ ...reading, workload, maxItems: ITEMS_OF_OTHERS });
    if (valid * 2 > items) return { name: workload.name, valid, items };
  }
  return undefined;
}
