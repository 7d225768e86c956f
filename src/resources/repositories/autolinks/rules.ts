import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { autolinkLimits } from './limits.ts';
import type { NewAutolink } from './schemas.ts';
import { type AutolinkRow, countAutolinks, insertAutolink, removeAutolink } from './store.ts';

/** The characters of a prefix (the public API's rule). It can't end in a digit, which would belong to the number. */
const prefix = /^[A-Za-z0-9.\-_+=:/#]*[A-Za-z.\-_+=:/#]$/;
const maxAutolinks = fixedValue(autolinkLimits.autolinks);

/** Adds an autolink. The repository stays locked, so that one of two concurrent requests with the same prefix is refused. */
export async function createAutolink(scope: WriteScope, action: RepositoryAction, wanted: NewAutolink): Promise<AutolinkRow> {
  const { repo, now } = action;
  const { key_prefix, url_template, is_alphanumeric } = wanted;
  checkPrefix(key_prefix);
  checkTemplate(url_template);
  await lockRepository(scope.tx, repo.id);
  const { total, clash } = await countAutolinks(scope.tx, repo.id, key_prefix);
  if (clash) throw invalid('KeyLink', 'key_prefix', 'already_exists');
  if (total >= maxAutolinks)
    throw invalid('KeyLink', 'key_prefix', 'unprocessable', `A repository can have at most ${maxAutolinks} autolinks`);
  const row = await insertAutolink(scope.tx, {
    repository_id: repo.id,
    key_prefix,
    url_template,
    is_alphanumeric,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inRepository(action), kind: 'autolink.created', data: { autolink: row.id } });
  return row;
}

export async function deleteAutolink(scope: WriteScope, action: RepositoryAction, autolink: AutolinkRow): Promise<void> {
  await removeAutolink(scope.tx, autolink.id);
  await record(scope.tx, { ...inRepository(action), kind: 'autolink.deleted', data: { key_prefix: autolink.key_prefix } });
}

function checkPrefix(text: string): void {
  if (prefix.test(text)) return;
  const message = 'key_prefix may hold letters, digits and .-_+=:/# and must not end in a digit';
  throw invalid('KeyLink', 'key_prefix', 'invalid', message);
}

/** The template is a web address with `<num>` where the number goes. */
function checkTemplate(template: string): void {
  if (!template.includes('<num>')) throw invalid('KeyLink', 'url_template', 'invalid', 'url_template must hold <num>');
  const url = URL.parse(template.replaceAll('<num>', '1'));
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid('KeyLink', 'url_template', 'invalid', 'url_template must be an address of the web');
}
