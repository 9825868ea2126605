/**
 * Runs Azurite without two unused libraries that it loads at its start and that are two thirds of its code, and without
 * answers to web pages. The first argument is the path of Azurite's script, the others are passed to it.
 */
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { createRequire, Module } from 'node:module';
import { isLocalRequest } from '../../local-request.ts';

/** The libraries, with the exports that Azurite reads at load time. */
const UNUSED: Readonly<Record<string, unknown>> = {
  // Sends telemetry, which --disableTelemetry turns off.
  applicationinsights: {},
  // Stores metadata in the SQL database of the setting AZURITE_DB.
  sequelize: { Model: class {} },
};

// The ports of Azurite are open to this machine's browsers as those of the front are, and it has no setting for its own check.
const emit = Server.prototype.emit;
Server.prototype.emit = function (name: string, ...given: unknown[]): boolean {
  const [request, response] = given as [IncomingMessage, ServerResponse];
  if (name !== 'request' || isLocalRequest(request.headers)) return Reflect.apply(emit, this, [name, ...given]);
  response.writeHead(403).end();
  request.resume();
  return true;
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
