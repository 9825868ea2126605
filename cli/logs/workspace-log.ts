/** Reads the log of an app on Azure from the table AppTraces of its Log Analytics workspace. */
import { batchTimeMs } from '../../shared/contract/names.ts';
import { CliError, UsageError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { type BatchLog, logLine } from './log-line.ts';

const ENDPOINT = 'https://api.loganalytics.azure.com';
const WORKSPACE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LEVELS = ['debug', 'info', 'warn', 'error', 'critical'];

/** Quotes a text as a KQL string literal, with escapes so that its content cannot end the literal. */
export const kqlText = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** Tolerance for the difference between the clocks of instances. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Returns the query for the newest `limit` + 1 lines that contain the id of the batch, written since the id was created. */
export const batchQuery = (batch: string, limit: number): string =>
  [
    'AppTraces',
    `where TimeGenerated >= datetime(${new Date(batchTimeMs(batch) - CLOCK_TOLERANCE_MS).toISOString()})`,
    `where Message has ${kqlText(batch)}`,
    `top ${limit + 1} by TimeGenerated desc`,
    'project TimeGenerated, AppRoleInstance, SeverityLevel, Message',
  ].join('\n| ');

interface Answer {
  tables?: { columns: { name: string }[]; rows: (string | number | null)[][] }[];
  error?: { code?: string; message?: string };
}

/**
 * Queries the workspace as the user who is signed in to Azure. Throws UsageError for an invalid id, and CliError if the query
 * fails.
 */
export async function readWorkspaceLog(
  { fetch: ask, azureToken }: Pick<Io, 'fetch' | 'azureToken'>,
  { workspace, batch, limit }: { workspace: string; batch: string; limit: number },
): Promise<BatchLog> {
  if (!WORKSPACE_ID.test(workspace))
    throw new UsageError(
      `--workspace: expected the id of a Log Analytics workspace, such as 11111111-2222-3333-4444-555555555555, got "${workspace}"`,
    );
  const token = await azureToken(`${ENDPOINT}/.default`).catch((error: unknown) => {
    throw new CliError('Could not get an access token of Azure.', { hint: 'Sign in with az login.', cause: error });
  });
  const response = await ask(`${ENDPOINT}/v1/workspaces/${workspace}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: batchQuery(batch, limit) }),
  });
  const text = await response.text();
  if (!response.ok) throw refusal(response.status, workspace, text);
  const lines = rowsOf(JSON.parse(text) as Answer).reverse();
  return { source: `workspace ${workspace}`, lines: lines.slice(-limit), isCut: lines.length > limit };
}

function rowsOf({ tables: [table] = [] }: Answer) {
  const names = table?.columns.map(({ name }) => name) ?? [];
  return (table?.rows ?? []).map((row) => {
    const cell = (name: string): string => String(row[names.indexOf(name)] ?? '');
    const level = LEVELS[Number(cell('SeverityLevel') || Number.NaN)];
    return logLine({
      time: cell('TimeGenerated'),
      instance: cell('AppRoleInstance'),
      ...(level === undefined ? {} : { level }),
      message: cell('Message'),
    });
  });
}

const MAX_FOREIGN_TEXT = 300;

function refusal(status: number, workspace: string, text: string): CliError {
  const message = `Log Analytics answered ${status} for workspace ${workspace}: ${text.trim().slice(0, MAX_FOREIGN_TEXT)}`;
  const exitCode = status === 404 ? EXIT.notFound : status < 500 ? EXIT.refused : EXIT.failed;
  const hint =
    status === 401 || status === 403
      ? 'Your Azure login needs the role Log Analytics Reader on the workspace.'
      : status === 404
        ? 'az monitor log-analytics workspace list shows the id as customerId.'
        : undefined;
  return new CliError(message, { exitCode, hint });
}
