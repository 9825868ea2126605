/**
 * A process that loads modules in advance and then runs a script for its parent, as if it had been started with the script.
 * The arguments are the files to load.
 */
import { pathToFileURL } from 'node:url';
import type { StandbyLaunch } from './spare-process.ts';

// Without the reference, this process would end here, since nothing else keeps it running.
process.channel?.ref();
const launch = new Promise<StandbyLaunch>((resolve) => void process.once('message', resolve));
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
const { script, args, env, cwd } = await launch;
process.channel?.unref();
process.chdir(cwd);
Object.assign(process.env, env);
process.argv.splice(1, process.argv.length, script, ...args);
// The name in a list of processes.
process.title = [process.execPath, script, ...args].join(' ');
await import(pathToFileURL(script).href);
