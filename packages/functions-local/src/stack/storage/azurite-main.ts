/**
 * Runs Azurite without two unused libraries that it loads at its start and that are two thirds of its code. The first
 * argument is the path of Azurite's script, the others are passed to it.
 */
import { createRequire, Module } from 'node:module';

/** The libraries, with the exports that Azurite reads at load time. */
const UNUSED: Readonly<Record<string, unknown>> = {
  // Sends telemetry, which --disableTelemetry turns off.
  applicationinsights: {},
  // Stores metadata in the SQL database of the setting AZURITE_DB.
  sequelize: { Model: class {} },
};

const [script = '', ...args] = process.argv.slice(2);
const require = createRequire(script);
for (const [name, exports] of Object.entries(UNUSED)) {
  const path = require.resolve(name);
  require.cache[path] = Object.assign(new Module(path), { exports, loaded: true });
}
delete process.env.AZURITE_DB;
process.argv.splice(1, process.argv.length, script, ...args);
require(script);
