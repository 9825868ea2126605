import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { createApi } from '../api/client.ts';
import { definedOnly } from '../options.ts';
import { UsageError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import { askSecrets } from '../profiles/ask-secrets.ts';
import { profileOf } from '../profiles/choose.ts';
import { type Profile, profileName, readProfiles, writeProfiles } from '../profiles/store.ts';
import type { Act, Action, Session } from '../session.ts';
import { readUrl } from '../settings.ts';
import type { Column } from '../text/listing.ts';

interface LoginOptions {
  inboxConnection?: string;
  workspace?: string;
}

const LOGIN_HELP = `
Asks for the function key of a client system and, optionally, that of an operator, without showing them. Without a terminal,
reads them from the first and second line of standard input. Tests the keys and stores them in a file that only you can read:
sluice/profiles.json in $XDG_CONFIG_HOME or ~/.config, on Windows in %APPDATA%. The profile becomes the current one.

Without --url, an existing profile becomes the current one, and nothing else changes. --profile NAME selects a profile for a
single command. If --url or SLUICE_URL is set, no profile is used, because its keys are sent only to its own address.

Examples:
  sluice login prod --url https://<app>.azurewebsites.net
  printf '%s\\n' "$CLIENT_KEY" "$OPERATOR_KEY" | sluice login test --url https://<app>.azurewebsites.net
  sluice batches --profile test`;

/** `sluice login NAME`, `sluice logout NAME` and `sluice profiles`. */
export function addProfiles(program: Command, act: Act): void {
  program
    .command('login')
    .summary('store the address and keys of a deployment as a profile')
    .description('Stores the address and keys of a deployment as a profile, and makes it the current one.')
    .argument('<name>', 'the name of the profile', nameArgument)
    .option('--inbox-connection <connection>', 'storage account of the inbox')
    .option('--workspace <id>', 'id of the Log Analytics workspace, for logs')
    .addHelpText('after', LOGIN_HELP)
    .action(act(login));
  program
    .command('logout')
    .summary('delete a profile and its keys')
    .description('Deletes a profile with its keys. The keys remain valid until infra/keys.sh revokes them.')
    .argument('<name>', 'the profile')
    .action(act(logout));
  program
    .command('profiles')
    .summary('list the profiles')
    .description('Lists the profiles, without their keys.')
    .action(act(profiles, ['table', 'json', 'csv']));
}

function nameArgument(value: string): string {
  try {
    return profileName(value);
  } catch (error: unknown) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

const login: Action<[string, LoginOptions]> = async (session, name, options) => {
  const stored = await readProfiles(session.io);
  const isSwitch = session.given.url === undefined;
  if (isSwitch && !Object.hasOwn(stored.profiles, name))
    throw new UsageError(`login: expected --url, because there is no profile "${name}" yet`);
  const profile = isSwitch ? profileOf(stored, name) : await newProfile(session, session.given.url, options);
  if (isSwitch && (session.given.key ?? options.inboxConnection ?? options.workspace) !== undefined)
    throw new UsageError('login: expected --url as well, because a profile can only be replaced as a whole');
  const file = await writeProfiles(session.io, {
    current: name,
    profiles: { ...stored.profiles, [name]: profile },
  });
  session.answer({ profile: name, url: profile.url, current: true, file }, () => [
    `${name} is the current profile: ${profile.url}`,
    ...(isSwitch ? [] : [`Stored in ${file}`]),
  ]);
  return EXIT.done;
};

/** Creates a profile after testing its keys. Throws the ApiProblem of a key that the app does not accept. */
async function newProfile(session: Session, address = '', options: LoginOptions): Promise<Profile> {
  const { io, given } = session;
  const url = readUrl(address);
  const { key, operatorKey } = given.key === undefined ? await askKeys(session) : { key: given.key, operatorKey: '' };
  if (key === '' && operatorKey === '') throw new UsageError('login: expected the key of a client system');
  const api = createApi({ url, key, operatorKey: operatorKey || key }, io.fetch);
  if (key !== '') await api.call('GET batches', { query: { limit: 1 } });
  if (operatorKey !== '') await api.call('GET queues');
  const { inboxConnection: inbox, workspace } = options;
  return { url, ...definedOnly({ key: key || undefined, operatorKey: operatorKey || undefined, inbox, workspace }) };
}

/** Asks for the keys of a client system and of an operator; a key that is not given is empty. */
async function askKeys({ io }: Session): Promise<{ key: string; operatorKey: string }> {
  const [key = '', operatorKey = ''] =
    io.stdin.isTTY === true
      ? await askSecrets(io, ['Function key of a client system: ', 'Function key of an operator (Enter: the same): '])
      : (await text(io.stdin)).split('\n').map((line) => line.trim());
  return { key, operatorKey };
}

const logout: Action<[string]> = async (session, name) => {
  const { current, profiles: all } = await readProfiles(session.io);
  profileOf({ profiles: all }, name);
  const { [name]: _gone, ...profiles } = all;
  await writeProfiles(session.io, { profiles, ...(current === undefined || current === name ? {} : { current }) });
  session.answer({ profile: name, deleted: true }, () => [`Deleted ${name}, with its keys`]);
  return EXIT.done;
};

interface Listed {
  name: string;
  url: string;
  current: boolean;
  keys: string[];
}

const profiles: Action<[]> = async (session) => {
  const { current, profiles: all } = await readProfiles(session.io);
  const entries = Object.entries(all).map(
    ([name, { url, key, operatorKey }]): Listed => ({
      ...{ name, url, current: name === current },
      keys: [...(key === undefined ? [] : ['client']), ...(operatorKey === undefined ? [] : ['operator'])],
    }),
  );
  session.list({ profiles: entries }, { entries, columns: COLUMNS, none: 'No profiles; sluice login creates one.' });
  return EXIT.done;
};

const COLUMNS: readonly Column<Listed>[] = [
  { field: 'name' },
  { field: 'url' },
  { field: 'current', shown: ({ current }) => (current ? 'current' : '') },
  { field: 'keys', value: ({ keys }) => keys.join(', ') },
];
