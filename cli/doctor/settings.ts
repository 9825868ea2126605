import { DEFAULTS, readSettings, SettingsError } from '../../shared/settings.ts';
import { didYouMean } from '../text/nearest.ts';
import { type App, type Finding, parseJson } from './app.ts';
import { blockAfter, keysOf } from './bicep-text.ts';

type Values = Readonly<Record<string, string>>;

const KNOWN = [...Object.keys(DEFAULTS), 'SLUICE_TASK_HUB'];
/** Settings of earlier versions, and what to do with each. */
const GONE: Readonly<Record<string, string>> = {
  SLUICE_URL_HOSTS: 'remove it: the app imports only blobs of its own storage account',
};
/** The local stack sets the connections, as does the deployment in Azure. */
const CONNECTED = { SluiceStorage: 'set', SluiceServiceBus: 'set' };

/** Checks the names and values of the settings: those of local use, and those in the templates of the deployment. */
export function checkSettings({ read }: App): Finding[] {
  const local = ['local.settings.json', 'local.settings.sample.json'].flatMap((file) => {
    const text = read(file);
    if (text === undefined) return [];
    const { Values = {} } = parseJson(file, text) as { Values?: Values };
    return checkValues(file, 'Values', Values, { ...CONNECTED, ...Values });
  });
  const deployed = ['infra/main.bicep', 'infra/main.bicepparam'].flatMap((file) => {
    const block = blockAfter(read(file) ?? '', /^\s*(?:param )?appSettings(?::| =)\s*(?=\{)/m) ?? '';
    // Only literal values can be checked: the others have a name and no value.
    const literals = [...block.matchAll(/^\s*'?(\w+)'?:\s*'([^'$]*)'/gm)].map(([, name, value]) => [name, value]);
    const names = Object.fromEntries(keysOf(block).map((name) => [name, '']));
    const values: Values = { ...names, ...Object.fromEntries(literals) };
    return checkValues(file, 'appSettings', values, { ...CONNECTED, ...values });
  });
  return [...local, ...deployed];
}

function checkValues(file: string, key: string, values: Values, env: Values): Finding[] {
  const unknown = Object.keys(values)
    .filter((name) => name.startsWith('SLUICE_') && !KNOWN.includes(name))
    .map((name) => ({
      ...{ file, key: `${key}.${name}`, expected: 'a setting of docs/deploy.md', found: name },
      fix: GONE[name] ?? `rename or remove it.${didYouMean(name, KNOWN)}`,
    }));
  return [...unknown, ...problemsOf(env).map((problem) => invalid(problem, { file, key, values }))];
}

/** Returns the problems that the app would report when it starts. */
function problemsOf(env: Values): string[] {
  try {
    readSettings(env);
    return [];
  } catch (error: unknown) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n- ').slice(1);
  }
}

function invalid(problem: string, { file, key, values }: { file: string; key: string; values: Values }): Finding {
  const [, name = '', expected = problem] = /^(\S+) must be (.*?)(?:, got ".*")?$/s.exec(problem) ?? [];
  const found = JSON.stringify(values[name]) ?? 'nothing';
  return { file, key: `${key}.${name}`, expected, found, fix: `correct ${name}: docs/deploy.md, Settings` };
}
