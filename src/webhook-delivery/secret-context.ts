type Owner = { organization_id?: number | null; repository_id?: number | null; app_id?: number | null };

/**
 * The encryption context of a webhook's secret or password: the kind of value, and the webhook's owner. The webhook's id isn't
 * known before it is stored.
 */
export const secretContext = (what: 'secret' | 'password', { organization_id, repository_id, app_id }: Owner): string =>
  `webhooks.${what} of ${organization_id ?? ''}:${repository_id ?? ''}:${app_id ?? ''}`;
