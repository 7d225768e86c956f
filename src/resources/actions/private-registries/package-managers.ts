// Configures package managers for private registries, with files and environment variables.
import { docker, git, helm, terraform } from './configuration/infrastructure.ts';
import { bundler, cargo, composer, go, maven, npm, nuget, pip } from './configuration/languages.ts';
import type { Configuration, Configure, WriteSecret } from './configuration/parts.ts';
import type { Credential, UsableType } from './usable.ts';

const configureBy: Readonly<Record<UsableType, Configure>> = {
  npm_registry: npm,
  python_index: pip,
  maven_repository: maven,
  cargo_registry: cargo,
  nuget_feed: nuget,
  goproxy_server: go,
  rubygems_server: bundler,
  composer_repository: composer,
  docker_registry: docker,
  helm_registry: helm,
  terraform_registry: terraform,
  git_source: git,
};

/** The configuration of all package managers that have one of the registries. */
export function configurationFor(credentials: readonly Credential[], write: WriteSecret): Configuration {
  const made = Object.entries(configureBy).flatMap(([type, configure]) => {
    const own = credentials.filter(({ registry_type }) => registry_type === type);
    return own.length > 0 ? [configure(own, write)] : [];
  });
  return {
    files: made.flatMap(({ files }) => files),
    variables: Object.assign({}, ...made.map(({ variables }) => variables)),
  };
}
