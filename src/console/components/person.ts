import { html, type TrustedHtml } from '#html/template.ts';
import { pagePath } from './address.ts';

/** The fields of an account that pages show. */
export type ShownAccount = { readonly login: string; readonly id: number; readonly avatar_url?: string };

/** The picture of an account, which says nothing beside its name. */
export const avatar = ({ id }: Pick<ShownAccount, 'id'>, size: 16 | 20 | 28 | 34 | 48 | 160 = 20): TrustedHtml =>
  html`<img class="avatar" src="/avatars/u/${id}" alt="" width="${size}" height="${size}" loading="lazy">`;

/** The name of an account, which leads to its page; "ghost" for one that was deleted. */
export const personLink = (account: ShownAccount | null | undefined): TrustedHtml =>
  account
    ? html`<a class="person" href="${pagePath(account.login)}">${account.login}</a>`
    : html`<span class="person">ghost</span>`;

/** The picture and the name of an account. */
export const personWithAvatar = (account: ShownAccount | null | undefined): TrustedHtml =>
  account ? html`<span class="who">${avatar(account)}${personLink(account)}</span>` : personLink(account);
