import type { Id } from '#lib/id.ts';

type By = { readonly account?: { readonly id: Id<'accounts'> } };
type RepositoryChange = {
  readonly repo: { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> };
  by: By;
  now: Date;
};
type OrganizationChange = { readonly org: { readonly id: Id<'accounts'> }; by: By; now: Date };

/**
 * The common fields of all events in a repository: owner, repository, actor and time.
 * @example record(tx, { ...inRepository({ repo, by, now }), kind: 'label.created', data: { label: row.id } })
 */
export const inRepository = ({ repo, by, now }: RepositoryChange) => ({
  owner: repo.owner_id,
  repository: repo.id,
  actor: by.account?.id,
  at: now,
});

/** The same for events in an organization, outside its repositories. */
export const inOrganization = ({ org, by, now }: OrganizationChange) => ({ owner: org.id, actor: by.account?.id, at: now });
