// Which registries jobs can use, and what they need for that.
import type { AuthType, IdentityField, OidcType, RegistryType } from './auth-types.ts';
import { identityProblem } from './exchange/addresses.ts';

/** A registry of an organization, without its secret. */
export type Registry = {
  readonly name: string;
  readonly registry_type: RegistryType;
  readonly auth_type: AuthType;
  readonly url: string;
  readonly username: string | null;
  readonly replaces_base: boolean;
  readonly identity: { readonly [Field in IdentityField]?: string };
};

/** A registry with its secret, which must never be shown or logged. */
export type Credential = Registry & { readonly secret: string };

/** A registry as it is stored. It has a secret unless jobs sign in by OIDC. */
export type StoredRegistry = Registry & { readonly secret: string | undefined };

/** A registry that exchanges the identity token of a job for a secret. */
export type OidcRegistry = Registry & { readonly auth_type: OidcType; readonly secret: undefined };

/** Why jobs can't use a type. Registries of it can be stored, and nothing uses them. */
const unusedTypes = {
  hex_organization: 'Hex keeps its keys in a file of its own format',
  hex_repository: 'Hex keeps its keys in a file of its own format',
  pub_repository: 'pub reads its tokens from a folder that no variable of its own names',
} as const satisfies { readonly [Type in RegistryType]?: string };
export type UsableType = Exclude<RegistryType, keyof typeof unusedTypes>;

const isUnused = (type: RegistryType): type is keyof typeof unusedTypes => Object.hasOwn(unusedTypes, type);

const isOidc = (registry: StoredRegistry): registry is OidcRegistry => registry.auth_type.startsWith('oidc_');

/** A registry that a job can use, or the reason why it can't. */
export type Checked<Found> = { readonly usable: Found } | { readonly reason: string };

/** Whether a job can use a registry. */
export function checkRegistry(registry: StoredRegistry): Checked<Credential | OidcRegistry> {
  const { registry_type } = registry;
  if (isUnused(registry_type))
    return {
      reason: `registries of the type ${registry_type} are stored, and no job can use them: ${unusedTypes[registry_type]}`,
    };
  if (!isOidc(registry)) return checkSecret(registry);
  const reason = identityProblem(registry.identity) ?? addressProblem(registry) ?? textProblem(registry);
  return reason === undefined ? { usable: registry } : { reason };
}

/** Whether a job can use a secret with its registry: the files of package managers can't hold every text. */
export function checkSecret(registry: StoredRegistry): Checked<Credential> {
  const { registry_type, auth_type, username, secret } = registry;
  if (secret === undefined) return { reason: 'it has no secret' };
  const problem = addressProblem(registry) ?? textProblem(registry);
  if (problem !== undefined) return { reason: problem };
  // npm replaces this by variables of the job's environment, which a registry must not read. Terraform evaluates it.
  if (['npm_registry', 'terraform_registry'].includes(registry_type) && secret.includes('${'))
    return { reason: 'its secret contains a variable' };
  if (registry_type === 'terraform_registry' && auth_type === 'username_password')
    return { reason: 'Terraform signs in by a token, and knows no users' };
  if (registry_type === 'goproxy_server' && /\s/.test(`${username ?? ''}${secret}`))
    return { reason: 'its user or secret contains a space' };
  return { usable: { ...registry, secret } };
}

/** These programs send no credentials to other addresses. */
const byHttpsAlone: { readonly [Type in RegistryType]?: string } = { goproxy_server: 'Go', terraform_registry: 'Terraform' };

const addressProblem = ({ registry_type, url }: StoredRegistry): string | undefined => {
  const program = byHttpsAlone[registry_type];
  return program !== undefined && !url.startsWith('https:') ? `${program} signs in by HTTPS alone` : undefined;
};

/** A line of a configuration ends at a line break, and runners evaluate expressions. */
const textProblem = ({ url, username, secret }: StoredRegistry): string | undefined =>
  [url, username ?? '', secret ?? ''].some((text) => /[\r\n\0]|\$\{\{/.test(text))
    ? 'its address, user or secret contains a line break or an expression'
    : undefined;
