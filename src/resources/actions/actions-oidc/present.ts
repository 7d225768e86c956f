import type { Repo } from '#access/viewer.ts';
import type { IncludedProperty, RepositorySubject } from './schemas.ts';
import type { OrganizationTemplate } from './store.ts';
import { defaultKeys, repositoryPrefix } from './subject.ts';
import type { TemplateInForce } from './templates.ts';

export const presentIncluded = ({ name }: { readonly name: string }): IncludedProperty => ({
  custom_property_name: name,
  inclusion_source: 'organization',
});

export const presentOrganizationSubject = (template: OrganizationTemplate | undefined) => ({
  include_claim_keys: template?.include_claim_keys ?? [...defaultKeys],
  use_immutable_subject: template?.use_immutable_subject ?? false,
});

export const presentRepositorySubject = (
  repo: Repo,
  { usesDefault, claimKeys, isImmutable }: TemplateInForce,
): RepositorySubject => ({
  use_default: usesDefault,
  ...(!usesDefault && { include_claim_keys: [...claimKeys] }),
  use_immutable_subject: isImmutable,
  sub_claim_prefix: repositoryPrefix(repo, isImmutable),
});
