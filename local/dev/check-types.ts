import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const LINES_SHOWN = 20;

/** Checks types in parallel with everything else: the running code has its types stripped, unchecked. */
export interface TypeCheck {
  /** Checks the current sources. An earlier check that is still running is cancelled. */
  start(): void;
  stop(): void;
}

/**
 * Checks `project`, a tsconfig.json, with paths in messages relative to `root`. Results are kept in `buildInfo`, so
 * that a check after one edit takes a fifth of the time. Shows errors, and when they are fixed.
 */
export function createTypeCheck(
  root: string,
  project: string,
  buildInfo: string,
  show: (lines: string[]) => void,
): TypeCheck {
  const tsc = compilerOf(root);
  let child: ChildProcess | undefined;
  let isWrong = false;
  const stop = (): void => {
    child?.kill();
    child = undefined;
  };
  return {
    stop,
    start: () => {
      stop();
      if (tsc === undefined) return;
      const kept = ['--incremental', '--tsBuildInfoFile', buildInfo];
      const started = spawn(process.execPath, [tsc, '-p', project, '--noEmit', '--pretty', 'false', ...kept], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child = started;
      // Low priority, because the user waits for the instance that starts at the same time.
      if (started.pid !== undefined) setPriority(started.pid, constants.priority.PRIORITY_LOW);
      let output = '';
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      started.once('error', () => undefined);
      started.once('close', (code) => {
        if (child !== started) return;
        child = undefined;
        if (code !== 0) show(describeTypeErrors(output));
        else if (isWrong) show(['Types: all errors are fixed.']);
        isWrong = code !== 0;
      });
    },
  };
}

/** Returns the TypeScript compiler of the app; undefined if it has none. */
function compilerOf(root: string): string | undefined {
  try {
    return join(createRequire(join(root, 'package.json')).resolve('typescript/package.json'), '../bin/tsc');
  } catch {
    return undefined;
  }
}

/** Returns the first lines of the compiler's output. */
export function describeTypeErrors(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const left = lines.length - LINES_SHOWN;
  return [
    'Types: these errors do not stop the run.',
    ...lines.slice(0, LINES_SHOWN).map((line) => `  ${line}`),
    ...(left > 0 ? [`  and ${left} more lines: npm run check shows all`] : []),
  ];
}
