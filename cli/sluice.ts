#!/usr/bin/env node
/**
 * The `sluice` command, as far as an old Node.js understands it: everything else is imported only after the check, as a
 * missing export of a module of Node would end the process before any message of ours.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 15)) await import('./main.ts');
else {
  console.error(`sluice: needs Node.js 22.15 or newer; this is ${process.versions.node} (${process.execPath}).`);
  process.exitCode = 1;
}

export {};
