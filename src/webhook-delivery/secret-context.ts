type Owner = { organization_id?: number | null; repository_id?: number | null; app_id?: number | null };

/** The context in which a value of a hook is sealed: which value, and what the hook belongs to. The hook's own id isn't known yet then. */
export const secretContext = (what: 'secret' | 'password', { organization_id, repository_id, app_id }: Owner): string =>
  `webhooks.${what} of ${organization_id ?? ''}:${repository_id ?? ''}:${app_id ?? ''}`;
