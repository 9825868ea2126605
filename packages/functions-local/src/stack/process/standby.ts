/**
 * A process that loads modules ahead of time, and then runs the script that its parent names, as if it had been started
 * with it. The arguments are the files to load.
 */
import { pathToFileURL } from 'node:url';
import type { StandbyLaunch } from './spare-process.ts';

// A parent that waits for nobody else: without the reference this process would end here.
process.channel?.ref();
const launch = new Promise<StandbyLaunch>((resolve) => void process.once('message', resolve));
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
const { script, args, env, cwd } = await launch;
process.channel?.unref();
process.chdir(cwd);
Object.assign(process.env, env);
process.argv.splice(1, process.argv.length, script, ...args);
// What a list of processes shows.
process.title = [process.execPath, script, ...args].join(' ');
await import(pathToFileURL(script).href);
