#!/usr/bin/env node
// Nothing is imported before the check and no new syntax is used: this file has to run where the rest cannot.
import('../dist/check-node.js').then(
  () => import('../dist/host/main.js'),
  (error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
