// The registries of a configuration file.
import { type ConfigRegistry, type ConfigValue, configRegistryTypes } from './config.ts';
import { booleanOf, fieldsOf, type Part, textOf, wrong } from './part.ts';

const mostRegistries = 50;

const fieldNames = ['type', 'url', 'username', 'password', 'token', 'replaces-base'];
const isSupported = (type: string): type is ConfigRegistry['type'] => configRegistryTypes.some((one) => one === type);

/** What the file says of registries: those that the bot can use, and the names of all. */
export function readRegistries(part: Part | undefined): { registries: ConfigRegistry[]; names: ReadonlySet<string> } {
  const named = [...(part ? fieldsOf(part) : [])];
  if (part && named.length > mostRegistries) wrong(part, `has more than ${mostRegistries} registries`);
  const registries = named
    .slice(0, mostRegistries)
    .map(([name, registry]) => readRegistry(name, registry))
    .filter((registry) => registry !== undefined);
  return { registries, names: new Set(named.map(([name]) => name)) };
}

function readRegistry(name: string, part: Part): ConfigRegistry | undefined {
  const found = fieldsOf(part);
  const type = textOf(found.get('type'), { most: 100 });
  if (type === undefined) return found.has('type') ? undefined : wrong(part, 'has no type');
  // Registries of other ecosystems have other fields, and are used for nothing here.
  if (!isSupported(type)) return undefined;
  const fields = fieldsOf(part, fieldNames);
  const url = urlOf(fields.get('url'));
  const username = plainOrSecretOf(fields.get('username'));
  const password = secretOf(fields.get('password'));
  const token = secretOf(fields.get('token'));
  const replacesBase = booleanOf(fields.get('replaces-base')) ?? false;
  if (!fields.has('url')) return wrong(part, 'has no url');
  if (token && (username || password)) return wrong(part, 'has a token and a user or a password');
  if (fields.has('username') !== fields.has('password'))
    return wrong(part, 'has a user without a password, or a password without a user');
  // Its jobs would fail. A registry to which nobody signs in needs no entry: package managers are told of it by the repository.
  if (!fields.has('token') && !fields.has('username')) return wrong(part, 'has no token, and no user with a password');
  return url === undefined ? undefined : { name, type, url, username, password, token, replacesBase };
}

function urlOf(part: Part | undefined): string | undefined {
  const text = textOf(part, { most: 1_024 });
  if (!part || text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) return wrong(part, 'has to be an address of http or https');
  if (url.username !== '' || url.password !== '') return wrong(part, 'must not hold a user or a password');
  return text;
}

const secretText = /^\$\{\{\s*secrets\.([A-Za-z_]\w{0,254})\s*\}\}$/;

function plainOrSecretOf(part: Part | undefined): ConfigValue | undefined {
  const text = textOf(part, { most: 1_024 });
  if (!part || text === undefined) return undefined;
  const [, secret] = secretText.exec(text) ?? [];
  if (secret !== undefined) return { secret: secret.toUpperCase() };
  return text.includes('${{') ? wrong(part, 'has an expression that isn’t a secret of the bot') : { text };
}

/** What must not be in the file itself. */
function secretOf(part: Part | undefined): ConfigValue | undefined {
  const value = plainOrSecretOf(part);
  return part && value && 'text' in value ? wrong(part, `has to be a secret of the bot: \${{secrets.NAME}}`) : value;
}
