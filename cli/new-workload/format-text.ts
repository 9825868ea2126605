import { spawn } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Formats a TypeScript text in the style of the project. Returns it unchanged if Biome is not installed. */
export async function formatText(text: string, root: string): Promise<string> {
  try {
    const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'));
    const args = [biome, 'format', '--stdin-file-path=workload.ts', '--vcs-enabled=false', `--config-path=${root}`];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => {});
    child.stdin.end(text);
    const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    const [formatted, code] = await Promise.all([textOf(child.stdout), ended]);
    return code === 0 ? formatted : text;
  } catch {
    return text;
  }
}
