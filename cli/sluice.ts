#!/usr/bin/env node
/**
 * The entry of the `sluice` command, which also runs on an old Node.js. Everything else is imported only after the version
 * check: otherwise a missing export of a Node.js module would end the process before it prints a useful message.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 15)) await import('./main.ts');
else {
  console.error(`sluice: needs Node.js 22.15 or newer; this is ${process.versions.node} (${process.execPath}).`);
  process.exitCode = 1;
}

export {};
