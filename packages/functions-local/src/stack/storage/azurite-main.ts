/**
 * Runs Azurite without two libraries that it loads at its start and does not use here, which are two thirds of its code.
 * The first argument is the path of its script, the others are its own.
 */
import { createRequire, Module } from 'node:module';

/** Each with the exports that Azurite reads while it is loaded. */
const UNUSED: Readonly<Record<string, unknown>> = {
  // Sends telemetry, which --disableTelemetry turns off.
  applicationinsights: {},
  // Keeps metadata in the SQL database that AZURITE_DB names.
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
