import type { Org } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { SelectionMode } from '#resources/repositories/repository-selections/index.ts';
import type { ImmutableReleases, ImmutableReleasesSettings } from './schemas.ts';

export function presentSettings(links: Links, org: Org, mode: SelectionMode = 'none'): ImmutableReleasesSettings {
  if (mode !== 'selected') return { enforced_repositories: mode === 'all' ? 'all' : 'none' };
  const url = path(`${links.api}/orgs`, org.login, 'settings', 'immutable-releases', 'repositories');
  return { enforced_repositories: mode, selected_repositories_url: url };
}

export const presentState = ({ enabled, enforced }: { enabled: boolean; enforced: boolean }): ImmutableReleases => ({
  enabled: enabled || enforced,
  enforced_by_owner: enforced,
});
