// What the configurations of package managers are made of.
import { trimEndOf } from '#lib/trim.ts';
import type { Credential } from '../usable.ts';

/** A file for a job. */
export type ConfigurationFile = {
  readonly name: string;
  readonly text: string;
  /**
   * The variable that gets the path of the file, or of its folder. `beside`: package managers find the file by its place, which
   * is the folder above the workspace. `named`: a variable of the configuration names it, below `registryFolder`.
   */
  readonly found: { readonly variable: string; readonly prefix?: string } | { readonly folderIn: string } | 'beside' | 'named';
};

/** The folder of the files, for shells. */
export const registryFolder = '$RUNNER_TEMP/private-registries';

export type Configuration = {
  readonly files: readonly ConfigurationFile[];
  readonly variables: Readonly<Record<string, string>>;
};

/** Writes secrets as texts that stand for them, so that the configuration itself contains none. */
export type WriteSecret = (secret: string) => string;

export type Configure = (credentials: readonly Credential[], write: WriteSecret) => Configuration;

/** The registry's URL without a slash at its end. */
export const baseOf = ({ url }: Credential): string => trimEndOf(url, '/');
export const hostOf = ({ url }: Credential): string => new URL(url).host;
/** A name that package managers accept as an identifier. */
export const idOf = ({ name }: Credential): string => name.toLowerCase().replaceAll('_', '-');

/** The first registry that replaces the package manager's own one. */
export const baseRegistry = (credentials: readonly Credential[]) => credentials.find(({ replaces_base }) => replaces_base);

export const userOf = ({ username }: Credential, fallback: string): string => username ?? fallback;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
export const basic = (credential: Credential, fallback: string): string =>
  base64(`${userOf(credential, fallback)}:${credential.secret}`);

export const isPassword = ({ auth_type }: Credential): boolean => auth_type === 'username_password';

export const file = (name: string, lines: readonly string[], found: ConfigurationFile['found']): Configuration => ({
  files: [{ name, text: `${lines.join('\n')}\n`, found }],
  variables: {},
});

/** A string of JSON, TOML or YAML. */
export const quoted = (text: string): string => JSON.stringify(text);

/** The URL with user and password, for package managers that read them from there. */
export function urlWithSecret(credential: Credential, write: WriteSecret, fallback: string): string {
  const { protocol, host, pathname } = new URL(credential.url);
  const user = encodeURIComponent(userOf(credential, fallback));
  const secret = write(encodeURIComponent(credential.secret));
  return `${protocol}//${user}:${secret}@${host}${pathname}`;
}
