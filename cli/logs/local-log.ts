/** Reads the log of a local stack: one file per instance, in the folder of the stack. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { CliError } from '../process/errors.ts';
import { type BatchLog, type LogLine, logLine } from './log-line.ts';

const STACKS = '.sluice';
const HOST_LOG = /^host-\d+\.log$/;

/**
 * Finds the logs of the stacks of `folder` or of its nearest parent that has some. Returns an empty array if there are none.
 */
export async function findLocalLogs(folder: string): Promise<string[]> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const stacks = await readdir(join(at, STACKS)).catch(() => []);
    const files = await Promise.all(stacks.map((stack) => logFilesIn(join(at, STACKS, stack, 'logs'))));
    if (files.flat().length > 0 || dirname(at) === at) return files.flat();
  }
}

/** Returns the logs in a folder. Throws CliError if there are none. */
export async function localLogsIn(folder: string): Promise<string[]> {
  const files = await logFilesIn(folder);
  if (files.length > 0) return files;
  throw new CliError(`--logs: expected the log of an instance (host-1.log) in ${folder}.`, {
    hint: 'npm start prints the folder of the stack; the logs are in its folder logs/.',
  });
}

async function logFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => HOST_LOG.test(name)).map((name) => join(folder, name));
}

/** Reads the lines that contain the id of the batch, at most the newest `limit`. */
export async function readLocalLog(files: readonly string[], batch: string, limit: number): Promise<BatchLog> {
  const lines = (await Promise.all(files.map((file) => linesOf(file, batch)))).flat();
  lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const source = [...new Set(files.map((file) => dirname(file)))].join(', ');
  return { source, lines: lines.slice(-limit), isCut: lines.length > limit };
}

async function linesOf(file: string, batch: string): Promise<LogLine[]> {
  const found: LogLine[] = [];
  const instance = basename(file, '.log');
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!text.includes(batch)) continue;
    const [, time = '', message = text] = /^\[([^\]]+)\] (.*)$/.exec(stripVTControlCharacters(text)) ?? [];
    found.push(logLine({ time, instance, message }));
  }
  return found;
}
