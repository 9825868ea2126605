/** Extracts the public names of the package's entries, and their types, from the built declarations. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  ExtractorMessageId,
} from '@microsoft/api-extractor';
import { type Entry, reportName } from './entries.ts';

/** What an entry exports. */
export interface Extracted {
  /** The report of API Extractor: names and types without comments. */
  report: string;
  /** The types that the exports mention and that the entry does not export. Empty if they are in the report. */
  mentioned: string[];
}

/** The options of tsconfig.json that matter for declarations. API Extractor has a TypeScript of its own, version 6. */
const COMPILER_OPTIONS = {
  ...{ target: 'es2024', lib: ['es2024'], module: 'nodenext', types: ['node'], noEmit: true, skipLibCheck: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true },
};

/**
 * Extracts the exports of `entries`, with one program for all of them.
 * @param root the folder of the package
 * @param isSelfContained whether the report of an entry has the types that its exports mention
 * @throws Error if the declarations do not compile, or if there are none because nothing was built
 */
export function extractAll(
  root: string,
  entries: readonly Entry[],
  isSelfContained: (entry: Entry) => boolean,
): Map<Entry, Extracted> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-api-report-'));
  const files = entries.map(({ declarations }) => declarations);
  const configOf = (entry: Entry): ExtractorConfig =>
    ExtractorConfig.prepare({
      configObject: {
        projectFolder: root,
        mainEntryPointFilePath: join(root, entry.declarations),
        compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS, files } },
        apiReport: {
          enabled: true,
          includeForgottenExports: isSelfContained(entry),
          reportFileName: reportName(entry),
          reportFolder: join(folder, 'before'),
          reportTempFolder: folder,
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
          // Release tags such as @public are not used: what an entry exports is public.
          extractorMessageReporting: {
            default: { logLevel: ExtractorLogLevel.None },
            [ExtractorMessageId.ForgottenExport]: { logLevel: ExtractorLogLevel.Warning },
          },
          tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        },
        newlineKind: 'lf',
      },
      packageJsonFullPath: join(root, 'package.json'),
      configObjectFullPath: undefined,
    });
  try {
    const configs = entries.map((entry) => ({ entry, config: configOf(entry) }));
    const [first] = configs;
    if (first === undefined) return new Map();
    const compilerState = CompilerState.create(first.config);
    return new Map(configs.map(({ entry, config }) => [entry, extract(config, compilerState)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function extract(config: ExtractorConfig, compilerState: CompilerState): Extracted {
  const mentioned = new Set<string>();
  const errors: string[] = [];
  Extractor.invoke(config, {
    compilerState,
    messageCallback: (message) => {
      if (message.messageId === ExtractorMessageId.ForgottenExport) {
        const [, name] = /^The symbol "([^"]+)"/.exec(message.text) ?? [];
        if (name !== undefined) mentioned.add(name);
      } else if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
      // Otherwise, it prints the message.
      message.handled = true;
    },
  });
  if (errors.length > 0) throw new Error(`${config.mainEntryPointFilePath}:\n${errors.join('\n')}`);
  return {
    report: readFileSync(config.reportTempFilePath, 'utf8'),
    mentioned: config.apiReportIncludeForgottenExports ? [] : [...mentioned].sort(),
  };
}
