// Registries that a run has by itself: those of the dependency bot's configuration file.
import type { Db } from '#database/connect.ts';
import type { Secrets } from '#lib/secrets.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import { type Credential, checkSecret } from '#resources/actions/private-registries/index.ts';
import type { RunRow } from '../store.ts';

/** A text, or the name of a secret of the bot. */
type RegistryValue = { readonly text: string } | { readonly secret: string };

/** A registry of a run. It has a token, or a user and a password. */
export type RunRegistry = {
  readonly name: string;
  readonly registry_type: Credential['registry_type'];
  readonly url: string;
  readonly replaces_base: boolean;
  readonly username?: RegistryValue;
  readonly password?: RegistryValue;
  readonly token?: RegistryValue;
};

type RunRegistries = { readonly granted: Credential[]; readonly refused: { readonly name: string; readonly reason: string }[] };

/** The registries of a run with their secrets, and those whose secrets are missing. */
export async function loadRunRegistries(db: Db, secrets: Secrets, run: RunRow): Promise<RunRegistries> {
  const registries = run.registries as readonly RunRegistry[] | null;
  const found: RunRegistries = { granted: [], refused: [] };
  if (!registries || registries.length === 0) return found;
  const known = await loadBotSecretsForJob(db, secrets, run.repository_id);
  const textOf = (value: RegistryValue | undefined): string | undefined =>
    value && ('text' in value ? value.text : known.get(value.secret));
  for (const { name, registry_type, url, replaces_base, username, password, token } of registries) {
    const missing = [username, password, token].find((value) => value && textOf(value) === undefined);
    const checked =
      missing && 'secret' in missing
        ? { reason: `the dependency bot has no secret ${missing.secret}` }
        : checkSecret({
            name,
            registry_type,
            url,
            replaces_base,
            auth_type: password ? 'username_password' : 'token',
            username: textOf(username) ?? null,
            identity: {},
            secret: textOf(password ?? token),
          });
    if ('usable' in checked) found.granted.push(checked.usable);
    else found.refused.push({ name, reason: checked.reason });
  }
  return found;
}
