type Owner = { organization_id?: number | null; repository_id?: number | null; app_id?: number | null };

/** What a sealed value of a hook is bound to: what it is, and to whom the hook belongs (its own id isn't known when it is sealed). */
export const secretContext = (what: 'secret' | 'password', { organization_id, repository_id, app_id }: Owner): string =>
  `webhooks.${what} of ${organization_id ?? ''}:${repository_id ?? ''}:${app_id ?? ''}`;
